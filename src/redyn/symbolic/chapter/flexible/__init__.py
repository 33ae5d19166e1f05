"""Worked examples on links that bend and gears that give."""
