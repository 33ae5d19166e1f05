"""Wheels that roll in symbols: the rows A(q), the independent rates, and the reduced equation of motion."""
