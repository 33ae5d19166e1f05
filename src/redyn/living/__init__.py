"""Living pages: one HTML file of a robot whose dynamics run in the browser."""

from redyn.living.page import page

__all__ = ["page"]
