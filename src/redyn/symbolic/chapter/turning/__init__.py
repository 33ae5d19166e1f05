"""Worked examples of robots with joints that turn about a point: spherical and free ones."""
