"""Equations of motion in closed form, by three derivations, worked examples, and code that runs without redyn."""
