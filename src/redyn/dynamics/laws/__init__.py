"""Laws of forces, one per file: plain functions of numbers, each written once.

A law knows no robot and no arithmetic. The recursions call it with whatever scalars they run over (floats, arrays,
symbols, graphs), and the compiled loops of the simulation and of other drivers compile the same function with Numba.
So a law is one self-contained function: it calls nothing but what it is given (`sqrt` is an argument), and it branches
on the state only if it serves compiled loops alone, as the joint stops do.
"""
