"""Equations of a robot, and code that runs without redyn."""
