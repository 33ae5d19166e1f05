"""Symbolic equations of robots with links that bend and gears that give."""
