"""Errata of the sources: what is printed, what is right, and how far the printed leads astray, all computed."""
