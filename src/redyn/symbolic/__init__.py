"""Equations of motion in closed form by three derivations, worked examples, and export of standalone code."""
