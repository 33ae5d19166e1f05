"""A Python module that needs only the standard library, and takes batches if NumPy is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from redyn.errors import InputError
from redyn.robot import Robot
from redyn.symbolic.export.functions import (
    TOLERANCE,
    Example,
    Function,
    about_parameters,
    about_rates,
    examples,
    functions,
    identifier,
    plain_text,
)
from redyn.symbolic.export.straight import Syntax, straight
from redyn.symbolic.export.write import wrapped, write_files
from redyn.version import __version__

_COMMON = '''
import math

try:
    import numpy
except ImportError:  # one state at a time, lists instead of arrays
    numpy = None


def _run(body, inputs, widths, shapes):
    """Check the inputs, run the operations on floats or on columns of a batch, and shape the results."""
    if numpy is not None:
        arrays = [numpy.asarray(value, dtype=float) for value in inputs]
        for name, array, width in zip(body.__code__.co_varnames[3:], arrays, widths):
            if array.ndim not in (1, 2) or array.shape[-1] != width:
                raise ValueError("%s: expected shape (%d,) or (N, %d), got %s" % (name, width, width, array.shape))
        sizes = {len(array) for array in arrays if array.ndim == 2}
        if len(sizes) > 1:
            raise ValueError("batches of different sizes: %s" % sorted(sizes))
        if sizes:
            count = sizes.pop()
            columns = [array.T if array.ndim == 2 else array for array in arrays]
            flat = body(numpy.sin, numpy.cos, numpy.sqrt, *columns)
            table = numpy.empty((count, len(flat)))
            for k, value in enumerate(flat):
                table[:, k] = value
            return _parts(shapes, lambda a, b, shape: table[:, a:b].reshape((count,) + shape))
        flat = numpy.array(body(math.sin, math.cos, math.sqrt, *[array.tolist() for array in arrays]))
        return _parts(shapes, lambda a, b, shape: flat[a:b].reshape(shape))
    rows = [[float(x) for x in value] for value in inputs]
    for name, row, width in zip(body.__code__.co_varnames[3:], rows, widths):
        if len(row) != width:
            raise ValueError("%s: expected %d numbers, got %d" % (name, width, len(row)))
    flat = body(math.sin, math.cos, math.sqrt, *rows)
    return _parts(shapes, lambda a, b, shape: _nested(flat[a:b], shape))


def _parts(shapes, part):
    results = []
    start = 0
    for shape in shapes:
        size = 1
        for length in shape:
            size *= length
        results.append(part(start, start + size, shape))
        start += size
    return results[0] if len(results) == 1 else tuple(results)


def _nested(values, shape):
    """Numbers as lists of lists, row by row."""
    if not shape:
        return values[0]
    if len(shape) == 1:
        return list(values)
    step = len(values) // shape[0] if shape[0] else 0
    return [_nested(values[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]
'''

_TEST = '''
def _flat(value):
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [x for item in value for x in _flat(item)] if isinstance(value, (list, tuple)) else [value]


def self_test():
    """Whether every function agrees with redyn, state by state."""
    passed = True
    for function, states, expected, tolerances in _EXAMPLES:
        for k in range(len(tolerances)):
            found = _flat(function(*[array[k] for array in states]))
            off = max([abs(a - b) for a, b in zip(found, expected[k])])
            good = len(found) == len(expected[k]) and off <= tolerances[k]
            passed = passed and good
            print("%s %s, state %d: error %.2g" % ("ok    " if good else "FAILED", function.__name__, k + 1, off))
    print("all agree" if passed else "some differ")
    return passed
'''

_END = """

if __name__ == "__main__":
    raise SystemExit(0 if self_test() else 1)
"""


def export_python(
    robot: Robot,
    what: Iterable[str] | str,
    folder: str | Path,
    *,
    name: str | None = None,
    link: str | None = None,
    gravity: bool = False,
    payload: bool = False,
    external: Sequence[str] = (),
    force: bool = False,
    tick: Callable[[str], None] = lambda _: None,
) -> list[Path]:
    """Write one Python module, NAME.py, for some algorithms; `python NAME.py` compares it with redyn's own results.

    Its functions take one state, or with NumPy a batch (N, n). For the other arguments see `export_c`.

    >>> import redyn, runpy, tempfile
    >>> from redyn.symbolic.export import export_python
    >>> [file] = export_python(redyn.load("two-link"), "inverse, mass", tempfile.mkdtemp())
    >>> runpy.run_path(str(file))["mass_matrix"]([0.0, 0.0]).round(4).tolist()
    [[2.6667, 0.8333], [0.8333, 0.3333]]
    """
    module = identifier(name or robot.name)
    made = functions(robot, what, link=link, gravity=gravity, payload=payload, external=external, tick=tick)
    tick("expected results")
    known = [examples(robot, function) for function in made]
    tick("writing")
    lines = [f'"""{plain_text(robot.name)}: robot dynamics, written by redyn {__version__}.', ""]
    lines += [*_explanation(robot, made), '"""', _COMMON.rstrip(), ""]
    for function in made:
        lines += ["", *_definition(function)]
    lines += [*_examples(made, known), "", _TEST.rstrip(), _END.rstrip(), ""]
    return write_files(folder, {f"{module}.py": "\n".join(lines)}, force)


def _explanation(robot: Robot, made: list[Function]) -> list[str]:
    joints = ", ".join(plain_text(name) for name in robot.joint_names)
    gravity = ", ".join(f"{x:g}" for x in robot.gravity)
    lines = ["SI units and radians. Every argument is one state, or with NumPy a batch (N, n)."]
    lines += [*wrapped(f"Joints in order: {joints}."), f"Gravity in world axes: {gravity} m/s^2."]
    lines += [*(line for text in (*about_rates(robot), *about_parameters(robot)) for line in wrapped(text)), ""]
    lines += ["Operations (divisions count as multiplications; sines, cosines and square roots not included):"]
    width = max(len(function.name) for function in made)
    for function in made:
        count = function.count
        lines.append(f"  {function.name:{width}}  {count.multiplications} multiplications, {count.additions} additions")
    return [*lines, "", "Run this file to compare it with redyn's results."]


def _constant(value: float) -> str:
    if not abs(value) < float("inf"):
        raise InputError(f"a constant of the robot is {value}")
    return repr(float(value))


def _definition(function: Function) -> list[str]:
    """The operations as one function of floats or columns, and the public function."""
    names = [a.name for a in function.inputs]
    [part] = straight(function.program, Syntax(_constant, lambda name: name, names)).parts
    results = [text for _, text in sorted(part.results)]
    shapes = ", ".join(_tuple(a.shape) for a in function.outputs)
    frame = f" of the frame {plain_text(function.task.frame)}" if function.task.frame else ""
    lines = [f"def _{function.name}(sin, cos, sqrt, {', '.join(names)}):"]
    lines += [f"    {name} = {text}" for name, text in part.local]
    lines += ["    return (", *(f"        {text}," for text in results), "    )", "", ""]
    lines += [f"def {function.name}({', '.join(names)}):"]
    found = ", ".join(f"{a.name} {a.shape}" for a in function.outputs)
    lines += [f'    """{found}{frame}."""']
    widths = _tuple([a.width for a in function.inputs])
    lines += [f"    return _run(_{function.name}, ({', '.join(names)},), {widths}, ({shapes},))", ""]
    return lines


def _tuple(values: Sequence[int]) -> str:
    return "(" + ", ".join(str(v) for v in values) + ("," if len(values) == 1 else "") + ")"


def _examples(made: list[Function], known: list[Example]) -> list[str]:
    """The states and expected results as data: (function, states per argument, expected rows, tolerances)."""
    lines = ["", "_EXAMPLES = ["]
    for function, example in zip(made, known, strict=True):
        lines += ["    (", f"        {function.name},", "        ["]
        lines += [f"            {array.tolist()!r}," for array in example.inputs]
        lines += ["        ],", "        ["]
        for k in range(len(example.tolerances)):
            row = [x for out in example.outputs for x in out[k].tolist()]
            lines += [f"            {row!r},"]
        tolerances = (example.tolerances * TOLERANCE["double"]).tolist()
        lines += ["        ],", f"        {tolerances!r},", "    ),"]
    return [*lines, "]", ""]
