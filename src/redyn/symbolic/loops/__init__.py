"""Closed loops in symbols: closure, transmission, reduced equations of motion, and passive joints in closed form."""
