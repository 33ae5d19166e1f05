"""A kernel as a function that XLA calls inside its own code: a handler of its typed foreign function interface (FFI).

XLA passes one pointer, to a frame of 64-bit words (struct XLA_FFI_CallFrame of xla/ffi/api/c_api.h, whose layout is
stable within a major version of the interface). The handler reads the addresses of the buffers from it, counts the
states and calls the kernel. It never fails: results that are not finite come back as they are.

Asked for its metadata first, it answers which version of the interface it was made for, and XLA refuses those that it
does not support.
"""

from __future__ import annotations

from typing import Any

from redyn.kernels import machine
from redyn.kernels.lanes import INT, POINTER, integer, ir

MAJOR = 0  # of the interface's version: the layout below
WORD = INT.as_pointer()

# Where fields lie, in words.
EXTENSION, ARGUMENTS, RESULTS = 1, 9, 14  # of the frame; the latter two are args.args and rets.rets
METADATA = 3  # of the extension
VERSION = 3  # of the metadata: major and minor, 32 bits each
DATA, DIMENSIONS = 3, 5  # of a buffer


def handler(kernel: int, inputs: int, outputs: int, dimensions: int, minor: int) -> machine.Code:
    """The handler of the kernel at that address, with so many inputs and outputs.

    dimensions: how many of the first input come before the numbers of one state; their product counts the states.
    """
    return machine.Code(machine.compile_module(_text(kernel, inputs, outputs, dimensions, minor), 1), 1)


def _text(kernel: int, inputs: int, outputs: int, dimensions: int, minor: int) -> str:
    function = ir.Function(ir.Module(name="handler"), ir.FunctionType(WORD, [WORD]), "kernel")
    b, frame = ir.IRBuilder(function.append_basic_block("entry")), function.args[0]

    def word(base: Any, place: int) -> Any:
        return b.load(b.gep(base, [integer(place)]))

    def pointer(base: Any, place: int) -> Any:
        return b.inttoptr(word(base, place), WORD)

    success = ir.Constant(WORD, None)
    extension = word(frame, EXTENSION)
    with b.if_then(b.icmp_unsigned("!=", extension, integer(0)), likely=False):
        metadata = pointer(b.inttoptr(extension, WORD), METADATA)
        b.store(integer(MAJOR + (minor << 32)), b.gep(metadata, [integer(VERSION)]))
        b.ret(success)

    table = POINTER.as_pointer()
    tables = list[Any]()
    count = integer(1)
    for place, size in ((ARGUMENTS, inputs), (RESULTS, outputs)):
        buffers, addresses = pointer(frame, place), b.alloca(INT, integer(size))
        for k in range(size):
            buffer = pointer(buffers, k)
            b.store(word(buffer, DATA), b.gep(addresses, [integer(k)]))
            if place == ARGUMENTS and k == 0 and dimensions:
                lengths = pointer(buffer, DIMENSIONS)
                for d in range(dimensions):
                    count = b.mul(count, word(lengths, d))
        tables.append(b.bitcast(addresses, table))
    with b.if_then(b.icmp_signed(">", count, integer(0))):
        kind = ir.FunctionType(INT, [table, table, INT]).as_pointer()
        b.call(b.inttoptr(integer(kernel), kind), [*tables, count])
    b.ret(success)
    return str(function.module)
