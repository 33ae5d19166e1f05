"""From recursions to machine code, for batches of states at a time.

How a kernel is made, file by file:

    trace.py     runs a recursion over CasADi nodes instead of numbers; what comes out is a graph of operations
    program.py   the graph as a plain list of operations, equal ones merged; can interpret itself, slowly
    lower.py     writes each operation as one LLVM vector instruction (LLVM is the compiler inside llvmlite: it takes
                 text in a language much like assembler and makes machine code of it in this process)
    lanes.py     one robot state per vector lane: W = 4 or 8 states share every instruction
    sincos.py    sine and cosine of a vector, from the same instructions
    derived.py   derivatives of a program along directions, forward or backward
    rolled.py    the same for long chains: one link step in a loop
    machine.py   what this processor is; text to object code; object code to an address
    cache.py     object code on disk
    compiled.py  loops around kernels, by Numba
    loops.py     those loops on disk
    kernel.py    puts the steps above together, once per robot and task
    call.py      calls a kernel on arrays, by ctypes
    builtin.py   a kernel as a built-in function of CPython, which takes a tenth of the time to call
    caller.py    the machine code of that function
    xla_handler.py  a kernel as a function that XLA calls, for JAX
    numpy_abi.py where an array's fields lie in memory
"""

NARROW = 4  # states: fewer are computed one by one, more in lanes
