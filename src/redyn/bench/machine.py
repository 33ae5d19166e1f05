"""The peak rate of multiply-adds of this processor, the bound on a kernel's time."""

from __future__ import annotations

import ctypes

from redyn.bench.timing import interleaved
from redyn.kernels.lanes import INT, Lanes, integer, ir
from redyn.kernels.machine import Code, compile_module, lane_width

CHAINS = 12  # independent sums: enough to hide the latency of a multiply-add, few enough for the registers


def multiply_add_rate(seconds: float = 0.5) -> float:
    """Multiply-adds on whole vectors per second, one thread."""
    width = lane_width()
    module = ir.Module(name="rate")
    function = ir.Function(module, ir.FunctionType(INT, [INT]), "kernel")
    b = ir.IRBuilder(function.append_basic_block("entry"))
    lanes = Lanes(b, width)
    entry, loop, end = b.block, b.append_basic_block("loop"), b.append_basic_block("end")
    factor = lanes.splat(b.uitofp(function.args[0], ir.DoubleType()))
    b.branch(loop)
    b.position_at_end(loop)
    i = b.phi(INT)
    i.add_incoming(integer(0), entry)
    sums = [b.phi(lanes.vector) for _ in range(CHAINS)]
    after = b.add(i, integer(1))
    for k, x in enumerate(sums):
        x.add_incoming(ir.Constant(lanes.vector, [float(k)] * width if width > 1 else float(k)), entry)
        x.add_incoming(lanes.intrinsic("fma", x, factor, factor), loop)
    i.add_incoming(after, loop)
    b.cbranch(b.icmp_signed("<", after, function.args[0]), loop, end)
    b.position_at_end(end)
    total = sums[0]
    for x in sums[1:]:
        total = b.fadd(total, x)
    scalar = total if width == 1 else b.extract_element(total, ir.Constant(ir.IntType(32), 0))
    b.ret(b.fptosi(scalar, INT))
    code = Code(compile_module(str(module), width), width)
    call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(code.address)
    count = 100_000
    best = interleaved({"rate": lambda: call(count)}, seconds)["rate"]
    return count * CHAINS / best
