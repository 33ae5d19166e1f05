"""The function that calls kernels from Python, in LLVM IR: PyObject *kernel(PyObject *self, PyObject **args, long n).

`self` is the table of a `builtin.BuiltinKernel`: see `Word`.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Any

from redyn.kernels import NARROW
from redyn.kernels.lanes import DOUBLE, INT, INT32, POINTER, Lanes, ir
from redyn.kernels.lanes import integer as const
from redyn.kernels.numpy_abi import ALIGNED, CONTIGUOUS, DATA, DESCR, DIMS, FLAGS, NDIM, NUMPY_DOUBLE, TYPE, WRITEABLE
from redyn.model.configuration import ROUNDING

MOST_ARRAYS, MOST_DIMENSIONS = 12, 3
SHAPE_WORDS = 2 + MOST_DIMENSIONS  # of an output: its size, its number of dimensions, its lengths


class Word(IntEnum):
    """Where things are in the table."""

    INPUTS = 0  # how many
    OUTPUTS = 1
    NARROW = 2  # addresses of kernels, 0 where there is none: for few states
    WIDE = 3  # and for many
    CHECKED = 4  # whether quaternions and results are checked
    GIVEN = 5  # whether the outputs are arguments
    DIRECT = 6  # whether the kernel may write to them
    LARGEST = 7  # the most states for which outputs are made
    QUATERNIONS = 8  # how many
    SCRATCH = 9  # the address of memory for one call
    NDARRAY = 10  # from here on as in `numpy_abi.addresses`
    FLOAT64 = 11
    NONE = 12
    NEW_ARRAY = 13
    NEW_SCALAR = 14
    INCREF = 15
    DECREF = 16
    SAVE_THREAD = 17
    RESTORE_THREAD = 18
    NEW_TUPLE = 19
    SET_ITEM = 20
    WIDTHS = 21  # of the inputs
    SHAPES = 21 + MOST_ARRAYS
    STARTS = 21 + MOST_ARRAYS + MOST_ARRAYS * SHAPE_WORDS  # of the quaternions in the first input


UNLOCKED_FROM = 128  # states from which other threads may run meanwhile
SCRATCH = 4096  # numbers: larger outputs, and larger arrays to be repeated for every state, take the general path

BYTE, WORDS = ir.IntType(8), INT.as_pointer()
OBJECT = BYTE.as_pointer()
OBJECTS = OBJECT.as_pointer()


def text() -> str:
    """The LLVM module."""
    module = ir.Module("builtin")
    kind = ir.FunctionType(OBJECT, [OBJECT, OBJECTS, INT])
    _Caller(ir.Function(module, kind, "kernel")).write()
    return str(module)


class _Caller:
    def __init__(self, function: Any) -> None:
        self.b = ir.IRBuilder(function.append_basic_block("entry"))
        self.table, self.arguments, self.count = function.args
        self.refused = function.append_basic_block("refused")

    def write(self) -> None:
        b = self.b
        self.words = self.field(self.table, DATA, WORDS)
        self.pointers = b.alloca(POINTER, const(2 * MOST_ARRAYS))
        self.made = b.alloca(OBJECT, const(MOST_ARRAYS))
        self.dims = b.alloca(INT, const(1 + MOST_DIMENSIONS))
        self.used, self.rows, self.batch = b.alloca(INT), b.alloca(INT), b.alloca(INT)
        self.thread, self.status = b.alloca(OBJECT), b.alloca(INT)
        b.store(const(0), self.used)
        self.inputs, self.outputs = self.word(Word.INPUTS), self.word(Word.OUTPUTS)
        given = b.icmp_signed("!=", self.word(Word.GIVEN), const(0))
        direct = b.icmp_signed("!=", self.word(Word.DIRECT), const(0))
        checked = b.icmp_signed("!=", self.word(Word.CHECKED), const(0))
        expected = b.add(self.inputs, b.select(given, self.outputs, const(0)))
        self.require(b.icmp_signed("==", self.count, expected))
        self.scratch = b.inttoptr(self.word(Word.SCRATCH), POINTER)
        self.results = b.gep(self.pointers, [self.inputs])

        self.count_states()
        self.n, self.ndim_extra = b.load(self.rows), b.load(self.batch)
        self.many = b.icmp_signed("!=", self.ndim_extra, const(0))
        self.take_inputs()
        with b.if_then(checked):
            self.require_unit_quaternions(b.load(self.pointers))

        few = b.icmp_signed("<", self.n, const(NARROW))
        kernel = b.select(few, self.word(Word.NARROW), self.word(Word.WIDE))
        self.require(b.icmp_signed("!=", kernel, const(0)))
        with b.if_else(given) as (fill, new):
            with fill:
                self.take_outputs()
                with b.if_then(b.not_(direct)):
                    self.write_to_scratch()
            with new:
                self.require(b.icmp_signed("<=", self.n, self.word(Word.LARGEST)))
                self.make_outputs()

        bad = b.and_(b.icmp_signed("!=", self.run(kernel), const(0)), checked)
        with b.if_else(given) as (fill, new):
            with fill:
                self.require(b.not_(bad))
                with b.if_then(b.not_(direct)):
                    self.copy_from_scratch()
                first = b.load(b.gep(self.arguments, [self.inputs]))
                self.call(Word.INCREF, ir.VoidType(), [first])
                b.ret(first)
            with new:
                with b.if_then(bad, likely=False):
                    self.release(self.outputs)
                    b.branch(self.refused)
                    b.position_at_end(b.append_basic_block("unreachable"))
                self.return_outputs()
        b.unreachable()
        b.position_at_end(self.refused)
        none = self.object(Word.NONE)
        self.call(Word.INCREF, ir.VoidType(), [none])
        b.ret(none)

    # --- the arguments ------------------------------------------------------------------------------------------------

    def count_states(self) -> None:
        """Check what kind of arrays the inputs are, and find how many states they hold."""
        b = self.b
        b.store(const(1), self.rows)
        b.store(const(0), self.batch)
        for i in self.loop(self.inputs):
            array = self.argument(i)
            self.require_array(array)
            extra = b.sub(self.ndim(array), const(1))  # 1 if there are N states, 0 if there is one
            self.require(b.icmp_unsigned("<=", extra, const(1)))
            with b.if_then(b.icmp_signed("==", extra, const(1))):
                rows = b.load(self.field(array, DIMS, WORDS))
                first = b.icmp_signed("==", b.load(self.batch), const(0))
                agrees = b.or_(first, b.icmp_signed("==", rows, b.load(self.rows)))
                self.require(b.and_(agrees, b.icmp_signed(">", rows, const(0))))
                b.store(rows, self.rows)
                b.store(const(1), self.batch)

    def take_inputs(self) -> None:
        """Check widths and note where the numbers are; single arrays beside a batch are repeated in scratch memory."""
        b = self.b
        for i in self.loop(self.inputs):
            array = self.argument(i)
            extra = b.sub(self.ndim(array), const(1))
            width = b.load(b.gep(self.field(array, DIMS, WORDS), [extra]))
            self.require(b.icmp_signed("==", width, b.load(b.gep(self.words, [b.add(i, const(Word.WIDTHS))]))))
            data, target = self.field(array, DATA, POINTER), b.gep(self.pointers, [i])
            b.store(data, target)
            with b.if_then(b.icmp_signed("!=", extra, self.ndim_extra), likely=False):
                b.store(self.repeated(data, width), target)

    def repeated(self, data: Any, width: Any) -> Any:
        b = self.b
        before = b.load(self.used)
        after = b.add(before, b.mul(self.n, width))
        locked = b.icmp_signed("<", self.n, const(UNLOCKED_FROM))  # the scratch memory is ours meanwhile
        self.require(b.and_(b.icmp_signed("<=", after, const(SCRATCH)), locked))
        b.store(after, self.used)
        place = b.gep(self.scratch, [before])
        for row in self.loop(self.n):
            for column in self.loop(width):
                b.store(b.load(b.gep(data, [column])), b.gep(place, [b.add(b.mul(row, width), column)]))
        return place

    def require_array(self, array: Any) -> None:
        """An array of float64 (and of no class derived from it), contiguous."""
        b = self.b
        of = b.ptrtoint(self.field(array, TYPE, OBJECT), INT)
        self.require(b.icmp_signed("==", of, self.word(Word.NDARRAY)))
        flags = self.has_flags(array, CONTIGUOUS | ALIGNED)
        kind = b.ptrtoint(self.field(array, DESCR, OBJECT), INT)
        self.require(b.and_(flags, b.icmp_signed("==", kind, self.word(Word.FLOAT64))))

    def require_unit_quaternions(self, q: Any) -> None:
        b, width = self.b, self.word(Word.WIDTHS)
        for k in self.loop(self.word(Word.QUATERNIONS)):
            start = b.load(b.gep(self.words, [b.add(k, const(Word.STARTS))]))
            for row in self.loop(self.n):
                place = b.gep(q, [b.add(b.mul(row, width), start)])
                excess: Any = ir.Constant(DOUBLE, -1.0)
                for part in range(4):
                    value = b.load(b.gep(place, [const(part)]))
                    excess = b.fadd(excess, b.fmul(value, value))
                above = b.fcmp_ordered(">", excess, ir.Constant(DOUBLE, -ROUNDING))
                self.require(b.and_(above, b.fcmp_ordered("<", excess, ir.Constant(DOUBLE, ROUNDING))))

    def take_outputs(self) -> None:
        """Check the arrays to be filled and note where their numbers go."""
        b = self.b
        for k in self.loop(self.outputs):
            array = self.argument(b.add(self.inputs, k))
            self.require_array(array)
            self.require(self.has_flags(array, WRITEABLE))
            shape = self.shape(k)
            ndim = b.load(b.gep(shape, [const(1)]))
            self.require(b.icmp_signed("==", self.ndim(array), b.add(ndim, self.ndim_extra)))
            lengths = self.field(array, DIMS, WORDS)
            with b.if_then(self.many):
                self.require(b.icmp_signed("==", b.load(lengths), self.n))
            for axis in self.loop(ndim):
                length = b.load(b.gep(lengths, [b.add(axis, self.ndim_extra)]))
                wanted = b.load(b.gep(shape, [b.add(axis, const(2))]))
                self.require(b.icmp_signed("==", length, wanted))
            b.store(self.field(array, DATA, POINTER), b.gep(self.results, [k]))

    # --- the results --------------------------------------------------------------------------------------------------

    def make_outputs(self) -> None:
        b = self.b
        null = ir.Constant(OBJECT, None)
        b.store(self.n, self.dims)
        for k in self.loop(self.outputs):
            shape = self.shape(k)
            ndim = b.load(b.gep(shape, [const(1)]))
            for axis in self.loop(ndim):
                length = b.load(b.gep(shape, [b.add(axis, const(2))]))
                b.store(length, b.gep(self.dims, [b.add(axis, self.ndim_extra)]))
            zero, double = ir.Constant(INT32, 0), ir.Constant(INT32, NUMPY_DOUBLE)
            dimensions = b.trunc(b.add(ndim, self.ndim_extra), INT32)
            arguments = [self.object(Word.NDARRAY), dimensions, self.dims, double, null, null, zero, zero, null]
            array = self.call(Word.NEW_ARRAY, OBJECT, arguments)
            with b.if_then(b.icmp_unsigned("==", array, null), likely=False):  # no memory: NumPy has set the exception
                self.release(k)
                b.ret(null)
                b.position_at_end(b.append_basic_block("unreachable"))
            b.store(array, b.gep(self.made, [k]))
            b.store(self.field(array, DATA, POINTER), b.gep(self.results, [k]))

    def return_outputs(self) -> None:
        """Return the only array, as a number if it has no dimensions, or a tuple of several."""
        b = self.b
        with b.if_then(b.icmp_signed("==", self.outputs, const(1))):
            b.ret(self.call(Word.NEW_SCALAR, OBJECT, [b.load(self.made)]))
            b.position_at_end(b.append_basic_block("unreachable"))
        together = self.call(Word.NEW_TUPLE, OBJECT, [self.outputs])
        with b.if_then(b.icmp_unsigned("==", together, ir.Constant(OBJECT, None)), likely=False):
            self.release(self.outputs)
            b.ret(together)
            b.position_at_end(b.append_basic_block("unreachable"))
        for k in self.loop(self.outputs):  # the tuple takes over the reference
            array = self.call(Word.NEW_SCALAR, OBJECT, [b.load(b.gep(self.made, [k]))])
            self.call(Word.SET_ITEM, INT32, [together, k, array])
        b.ret(together)
        b.position_at_end(b.append_basic_block("unreachable"))

    def release(self, count: Any) -> None:
        """Drop the references to the first `count` new arrays."""
        for k in self.loop(count):
            self.call(Word.DECREF, ir.VoidType(), [self.b.load(self.b.gep(self.made, [k]))])

    def write_to_scratch(self) -> None:
        """Let the kernel write to scratch memory, so that an error leaves the given arrays as they were.

        They may also share memory with the inputs.
        """
        b = self.b
        b.store(const(0), self.used)
        self.require(b.icmp_signed("<", self.n, const(UNLOCKED_FROM)))
        for k in self.loop(self.outputs):
            before = b.load(self.used)
            b.store(b.add(before, b.mul(self.n, b.load(self.shape(k)))), self.used)
            self.require(b.icmp_signed("<=", b.load(self.used), const(SCRATCH)))
            b.store(b.gep(self.scratch, [b.add(before, const(SCRATCH))]), b.gep(self.results, [k]))

    def copy_from_scratch(self) -> None:
        b = self.b
        for k in self.loop(self.outputs):
            target = self.field(self.argument(b.add(self.inputs, k)), DATA, POINTER)
            source = b.load(b.gep(self.results, [k]))
            for i in self.loop(b.mul(self.n, b.load(self.shape(k)))):
                b.store(b.load(b.gep(source, [i])), b.gep(target, [i]))

    def run(self, kernel: Any) -> Any:
        """Call the kernel, letting other threads run if it takes long; 0 if all results are finite."""
        b = self.b
        long = b.icmp_signed(">=", self.n, const(UNLOCKED_FROM))
        with b.if_then(long):
            b.store(self.call(Word.SAVE_THREAD, OBJECT, []), self.thread)
        kind = ir.FunctionType(INT, [POINTER.as_pointer(), POINTER.as_pointer(), INT])
        b.store(b.call(b.inttoptr(kernel, kind.as_pointer()), [self.pointers, self.results, self.n]), self.status)
        with b.if_then(long):
            self.call(Word.RESTORE_THREAD, ir.VoidType(), [b.load(self.thread)])
        return b.load(self.status)

    # --- building blocks ----------------------------------------------------------------------------------------------

    def require(self, condition: Any) -> None:
        """Go on if it holds; otherwise the general path decides."""
        on = self.b.append_basic_block("on")
        self.b.cbranch(condition, on, self.refused)
        self.b.position_at_end(on)

    def loop(self, stop: Any) -> Iterator[Any]:
        """`for index in loop(stop)`: what the body emits is repeated, from 0 while index < stop."""
        return Lanes(self.b, 1).loop(const(0), stop, 1)

    def argument(self, i: Any) -> Any:
        return self.b.load(self.b.gep(self.arguments, [i]))

    def word(self, at: Word) -> Any:
        return self.b.load(self.b.gep(self.words, [const(at)]))

    def shape(self, k: Any) -> Any:
        """The words about an output."""
        return self.b.gep(self.words, [self.b.add(const(Word.SHAPES), self.b.mul(k, const(SHAPE_WORDS)))])

    def object(self, at: Word) -> Any:
        return self.b.inttoptr(self.word(at), OBJECT)

    def call(self, at: Word, result: Any, arguments: list[Any]) -> Any:
        kind = ir.FunctionType(result, [argument.type for argument in arguments])
        return self.b.call(self.b.inttoptr(self.word(at), kind.as_pointer()), arguments)

    def field(self, array: Any, offset: int, kind: Any) -> Any:
        """A field of the struct behind an array."""
        place = self.b.gep(array, [const(object.__basicsize__ + offset)])
        return self.b.load(self.b.bitcast(place, kind.as_pointer()))

    def ndim(self, array: Any) -> Any:
        return self.b.sext(self.field(array, NDIM, INT32), INT)

    def has_flags(self, array: Any, all_of: int) -> Any:
        wanted = ir.Constant(INT32, all_of)
        return self.b.icmp_signed("==", self.b.and_(self.field(array, FLAGS, INT32), wanted), wanted)
