"""A JavaScript module for browsers and Node: one file without dependencies, with a self-test.

Operations write into arrays that the caller gives, so that a simulation allocates nothing; long functions are split,
since engines compile only functions of moderate length to machine code.
"""

from __future__ import annotations

import json
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
    nominal_parameters,
    place_of,
    plain_text,
)
from redyn.symbolic.export.straight import Part, Syntax, straight
from redyn.symbolic.export.write import wrapped, write_files
from redyn.version import __version__

PART = 400  # operations in one function; engines compile short ones soon, and leave very long ones to their interpreter
KEPT = "w"  # array of values that later parts need
GIVEN = "parameters"  # an argument that may be left out

_COMMON = """
const { sin, cos, sqrt } = Math;

/** Checks the inputs, runs the operations and shapes the results: arrays of rows, as in NumPy's tolist(). */
function run(name, inputs) {
  const { widths, names, shapes } = signatures[name];
  inputs.forEach((values, k) => {
    const where = `${name}: ${names[k]}: expected`;
    const count = values?.length ?? typeof values;
    if (count !== widths[k]) throw new TypeError(`${where} ${widths[k]} numbers, got ${count}`);
    if (!Array.prototype.every.call(values, Number.isFinite)) throw new TypeError(`${where} finite numbers`);
  });
  const outputs = shapes.map((shape) => new Float64Array(shape.reduce((size, length) => size * length, 1)));
  operations[name](...inputs, ...outputs);
  const shaped = shapes.map((shape, k) => nested(Array.from(outputs[k]), shape));
  return shaped.length === 1 ? shaped[0] : shaped;
}

function nested(values, shape) {
  if (!shape.length) return values[0];
  if (shape.length === 1) return values;
  const step = values.length / shape[0];
  return Array.from({ length: shape[0] }, (_, i) => nested(values.slice(i * step, (i + 1) * step), shape.slice(1)));
}
"""

_TEST = """
/** Compares every function with results of redyn: [{ name, state, error, tolerance, agrees }, ...]. */
export function compare() {
  return examples.flatMap(({ name, inputs, outputs, tolerances }) => tolerances.map((tolerance, k) => {
    const found = [run(name, inputs.map((rows) => rows[k]))].flat(Infinity);
    const off = found.map((x, i) => Math.abs(x - outputs[k][i]));
    const error = off.some(Number.isNaN) || off.length !== outputs[k].length ? NaN : Math.max(0, ...off);
    return { name, state: k + 1, error, tolerance, agrees: error <= tolerance };
  }));
}

/** Whether every function agrees with redyn, state by state. */
export function self_test(print = console.log) {
  const found = compare();
  for (const { name, state, error, agrees } of found) {
    print(`${agrees ? "ok    " : "FAILED"} ${name}, state ${state}: error ${error.toPrecision(2)}`);
  }
  const passed = found.every(({ agrees }) => agrees);
  print(passed ? "all agree" : "some differ");
  return passed;
}

const started = globalThis.process?.argv?.[1]; // by Node: the file that it runs
if (started && decodeURI(import.meta.url).endsWith(`/${started.split(/[\\\\/]/).pop()}`)) {
  process.exitCode = self_test() ? 0 : 1;
}
"""


def export_javascript(
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
    """Write one JavaScript module, NAME.mjs, for some algorithms; `node NAME.mjs` compares it with redyn's own results.

    Its functions take and return arrays of numbers, matrices row by row; those of `operations` write into arrays that
    are given. For the other arguments see `export_c`.

    >>> import redyn, tempfile
    >>> from redyn.symbolic.export import export_javascript
    >>> robot = redyn.load("two-link").free("*.mass")
    >>> [file] = export_javascript(robot, "inverse, mass", tempfile.mkdtemp())
    >>> "export function inverse_dynamics(q, qd, qdd, parameters = nominal_parameters)" in file.read_text()
    True
    """
    module = identifier(name or robot.name)
    made = functions(robot, what, link=link, gravity=gravity, payload=payload, external=external, tick=tick)
    tick("expected results")
    known = [examples(robot, function) for function in made]
    tick("writing")
    return write_files(folder, {f"{module}.mjs": javascript(robot, made, known, f"{module}.mjs")}, force)


def javascript(robot: Robot, made: Sequence[Function], known: Sequence[Example], file: str = "") -> str:
    """The text of a module for these functions, with the states and results that `compare` knows."""
    lines = ["// " + line for line in _explanation(robot, made, file)]
    lines = [line.rstrip() for line in lines] + [_COMMON.rstrip(), ""]
    lines += [f"export const joint_names = {json.dumps(list(robot.joint_names))};"]
    free = robot.model.free
    if free is not None:
        lines += [f"export const parameter_names = {json.dumps(list(free.names))};"]
        lines += [f"export const nominal_parameters = {_numbers(nominal_parameters(robot))};"]
    lines += ["", "/** Input names and widths, and shapes of the results. */", "export const signatures = {"]
    for function in made:
        entry = {
            "names": [a.name for a in function.inputs],
            "widths": [a.width for a in function.inputs],
            "shapes": [list(a.shape) for a in function.outputs],
        }
        lines += [f"  {function.name}: {json.dumps(entry)},"]
    lines += ["};", ""]
    for function in made:
        lines += _definition(function)
    lines += ["/** The functions that write into arrays which are given after the inputs; they check nothing. */"]
    lines += ["export const operations = {", *(f"  {f.name}: {f.name}_into," for f in made), "};", ""]
    return "\n".join([*lines, *_examples(made, known), _TEST.strip(), ""])


def _explanation(robot: Robot, made: Sequence[Function], file: str) -> list[str]:
    joints = ", ".join(plain_text(name) for name in robot.joint_names)
    gravity = ", ".join(f"{x:g}" for x in robot.gravity)
    lines = [f"{plain_text(robot.name)}: robot dynamics in JavaScript, written by redyn {__version__}.", ""]
    lines += ["SI units and radians; matrices are arrays of rows. Every function takes one state."]
    lines += [*wrapped(f"Joints in order: {joints}."), f"Gravity in world axes: {gravity} m/s^2."]
    lines += [line for text in (*about_rates(robot), *about_parameters(robot)) for line in wrapped(text)]
    lines += ["", "Operations (divisions count as multiplications; sines, cosines and square roots not included):"]
    width = max(len(function.name) for function in made)
    for function in made:
        count = function.count
        lines.append(f"  {function.name:{width}}  {count.multiplications} multiplications, {count.additions} additions")
    return [*lines, "", f"To compare it with redyn's results: node {file}"] if file else lines


def _constant(value: float) -> str:
    if not abs(value) < float("inf"):
        raise InputError(f"a constant of the robot is {value}")
    return repr(float(value))


def _numbers(values: Iterable[float]) -> str:
    return f"[{', '.join(_constant(float(x)) for x in values)}]"


def _definition(function: Function) -> list[str]:
    """The operations, in parts if there are many, and the public function."""
    given = [a.name for a in function.inputs]
    found = [a.name for a in function.outputs]
    source = straight(function.program, Syntax(_constant, lambda name: name, given, KEPT), PART)
    name, lines = function.name, list[str]()
    if len(source.parts) == 1:
        lines += [f"function {name}_into({', '.join([*given, *found])}) {{"]
        lines += [*_statements(source.parts[0], function), "}", ""]
    else:
        every = ", ".join([KEPT, *given, *found])
        for k, part in enumerate(source.parts, start=1):
            lines += [f"function {name}_part{k}({every}) {{", *_statements(part, function), "}", ""]
        lines += [f"const {name}_kept = new Float64Array({max(1, source.slots)});", ""]
        lines += [f"function {name}_into({', '.join([*given, *found])}) {{"]
        call = ", ".join([f"{name}_kept", *given, *found])
        lines += [*(f"  {name}_part{k}({call});" for k in range(1, len(source.parts) + 1)), "}", ""]
    frame = f" of the frame {plain_text(function.task.frame)}" if function.task.frame else ""
    shapes = ", ".join(f"{a.name} {'x'.join(map(str, a.shape)) or 'a number'}" for a in function.outputs)
    arguments = [f"{a} = nominal_parameters" if a == GIVEN else a for a in given]
    lines += [f"/** Returns {shapes}{frame}. */", f"export function {name}({', '.join(arguments)}) {{"]
    return [*lines, f'  return run("{name}", [{", ".join(given)}]);', "}", ""]


def _statements(part: Part, function: Function) -> list[str]:
    lines = [f"  const {name} = {text};" for name, text in part.local]
    lines += [f"  {KEPT}[{slot}] = {text};" for slot, text in part.kept]
    for number, text in sorted(part.results):
        argument, entry = place_of(function.outputs, number)
        lines.append(f"  {argument.name}[{entry}] = {text};")
    return lines


def _examples(made: Sequence[Function], known: Sequence[Example]) -> list[str]:
    lines = ["const examples = ["]
    for function, example in zip(made, known, strict=True):
        inputs = ", ".join(f"[{', '.join(_numbers(row) for row in array)}]" for array in example.inputs)
        rows = [[x for out in example.outputs for x in out[k].tolist()] for k in range(len(example.tolerances))]
        lines += [f'  {{ name: "{function.name}",', f"    inputs: [{inputs}],"]
        lines += [f"    outputs: [{', '.join(_numbers(row) for row in rows)}],"]
        lines += [f"    tolerances: {_numbers(example.tolerances * TOLERANCE['double'])} }},"]
    return [*lines, "];", ""]
