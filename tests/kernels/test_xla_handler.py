"""The handler that XLA calls, on a frame made by hand. tests/interop/test_jax.py has XLA call it."""

import ctypes

import numpy as np

import redyn
from redyn.dynamics.task import Task
from redyn.kernels.xla_handler import handler

CALL = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)


def words(*values):
    return np.array(values, dtype=np.int64)


def buffer(array):
    """XLA_FFI_Buffer: size, extension, type, data, rank, dimensions."""
    shape = words(*array.shape)
    made = words(48, 0, 12, array.ctypes.data, array.ndim, shape.ctypes.data)
    return made, shape


def test_it_reads_the_buffers_and_calls_the_kernel():
    robot = redyn.load("puma")
    kernel = robot.evaluator.kernels.get(Task("inverse_dynamics"))
    rng = np.random.default_rng(0)
    inputs, out = [rng.uniform(-1, 1, (2, 5, 6)) for _ in range(3)], np.zeros((2, 5, 6))
    kept = [buffer(array) for array in (*inputs, out)]
    arguments, results = words(*(b.ctypes.data for b, _ in kept[:3])), words(kept[3][0].ctypes.data)
    frame = words(
        *(152, 0, 0, 0, 0),  # of the frame itself: size, extension, interface, context, stage
        *(40, 0, 3, 0, arguments.ctypes.data),
        *(40, 0, 1, 0, results.ctypes.data),
    )
    code = handler(kernel.address, 3, 1, 2, minor=1)
    assert CALL(code.address)(frame.ctypes.data) is None
    flat = [array.reshape(10, 6) for array in inputs]
    np.testing.assert_array_equal(out.reshape(10, 6), robot.inverse_dynamics(*flat))
    out[...] = 7.0
    kept[0][1][0] = 0  # no states
    assert CALL(code.address)(frame.ctypes.data) is None
    assert (out == 7.0).all()


def test_it_tells_its_version():
    metadata = words(64, 24, 0, -1, 0, 0)
    extension = words(32, 1, 0, metadata.ctypes.data)
    frame = words(152, extension.ctypes.data, 0, 0, 0)
    code = handler(0, 1, 1, 1, minor=3)
    assert CALL(code.address)(frame.ctypes.data) is None
    assert metadata.view(np.int32)[6:8].tolist() == [0, 3]
