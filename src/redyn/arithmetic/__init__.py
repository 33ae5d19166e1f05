"""What the scalars of a recursion can be. `symbols` and `graph` are imported where they are used."""

from redyn.arithmetic.floats import Arrays, Floats

__all__ = ["Arrays", "Floats"]
