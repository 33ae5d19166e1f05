"""Sections of the worked example of a robot with closed loops."""
