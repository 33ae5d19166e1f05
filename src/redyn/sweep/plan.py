"""What a sweep computes, as data: a robot, what varies and how, what is run for each sample, what is kept of it.

A specification is read from YAML, JSON or a dict. The robot becomes part of it, so that workers on other machines need
no file. Its hash names everything on which results depend but the versions of programs and the processor.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import BeforeValidator, Field, InstanceOf, PlainSerializer, ValidationError, model_validator

from redyn.description import read
from redyn.description.fields import Positive, Strict, Values, items_of
from redyn.description.numbers import parse_angle, parse_number, shown
from redyn.description.yaml_file import decoded, mapping, to_data
from redyn.errors import DescriptionError, InputError, RedynError
from redyn.robot import Robot
from redyn.sweep.distributions import Distribution, Grid, distribution
from redyn.sweep.uniforms import LARGEST_SEED
from redyn.words import suggestion

LARGEST_FILE = 50_000_000  # bytes
MOST_SAMPLES = 10**15
MOST_PER_SHARD = 10**7
USUAL_SHARD = 10_000
VECTORS = ("q", "qd", "qdd", "tau", "stop")


def _whole(low: int, high: int) -> Any:
    def parse(value: object) -> int:
        number = value if isinstance(value, int) and not isinstance(value, bool) else parse_number(value)
        if number != int(number) or not low <= number <= high:
            raise ValueError(f"expected a whole number from {low} to {high:,}, got {shown(value)}")
        return int(number)

    return BeforeValidator(parse)


def _texts(value: object) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else items_of(value)
    if items is None or not all(isinstance(item, str) and item for item in items):
        raise ValueError(f"expected a list of names, got {shown(value)}")
    return tuple(cast("list[str]", items))


def _per_joint(value: object) -> float | tuple[float, ...]:
    """One number for all joints, or one each."""
    items = items_of(value)
    return parse_angle(value) if items is None else tuple(parse_angle(item) for item in items)


PerJoint = Annotated[float | tuple[float, ...], BeforeValidator(_per_joint)]
Names = Annotated[tuple[str, ...], BeforeValidator(_texts)]


class PDControl(Strict):
    """Springs and dampers towards a target: `redyn.control.pd`."""

    target: PerJoint
    kp: PerJoint
    kd: PerJoint


class Simulate(Strict):
    """A motion from q, qd: `simulate_batch`, or with an adaptive method `simulate` for each sample."""

    duration: Positive
    step: Positive | None = None
    sample: Positive | None = None  # seconds between instants of series and peaks; the end alone unless given
    method: Literal["rk4", "rkc", "rkf45", "dopri5", "abm", "taylor", "euler", "rosenbrock", "radau", "lsoda"] = "rk4"
    rtol: Positive = 1e-8
    pd: PDControl | None = None
    ground: Any = None
    link: str | None = None  # whose position `tip` is


class Inverse(Strict):
    """The torques along a motion from q to `stop`."""

    motion: Literal["cycloidal", "cubic", "quintic", "trapezoidal"] = "cycloidal"
    stop: PerJoint
    duration: Positive
    points: Annotated[int, _whole(2, 1_000_000)] = 101  # instants, evenly from 0 through duration


class Call(Strict):
    """A call of a robot by its name: `inverse_dynamics`, `mass_matrix`, `frequencies`, ..."""

    name: str
    link: str | None = None


class Function(Strict):
    """A function of an importable module: function(robot, state, rng, **options) to a mapping of numbers."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$")]
    options: dict[str, Any] = Field(default_factory=dict[str, Any])


RunKind = Simulate | Inverse | Call | Function
RUNS: dict[str, type[Strict]] = {"simulate": Simulate, "inverse": Inverse, "call": Call, "function": Function}


def _run(value: object) -> object:
    """`{simulate: {...}}`; `{call: mass_matrix}` and `{function: package.module:name}` for short."""
    if isinstance(value, tuple(RUNS.values())):
        return value
    if callable(value):
        module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", "<lambda>")
        if module in (None, "__main__") or "<" in name:
            raise ValueError(f"{name}: workers import the function by its name; put it in a module")
        return Function(name=f"{module}:{name}")
    entries = dict(cast("Mapping[str, object]", value)) if isinstance(value, Mapping) else dict[str, object]()
    if len(entries) != 1 or next(iter(entries)) not in RUNS:
        known = suggestion(next(iter(entries), ""), list(RUNS)) if entries else ""
        raise ValueError(f"expected one of {', '.join(RUNS)}, such as {{simulate: {{duration: 1}}}}{known}")
    ((kind, options),) = entries.items()
    if isinstance(options, str):
        options = {"name": options}
    try:
        return RUNS[kind].model_validate(options)
    except ValidationError as error:
        raise ValueError(f"{kind}.{_first(error, RUNS[kind])}") from None


def _run_data(run: RunKind) -> dict[str, Any]:
    kind = next(name for name, made in RUNS.items() if isinstance(run, made))
    return {kind: run.model_dump(mode="json", exclude_defaults=True)}


class Loading(Strict):
    """How the robot is loaded, beyond its description: as in `redyn.load`."""

    friction: bool = True
    exact: bool = False
    mimic: Literal["independent", "couple"] = "independent"
    allow_unphysical: bool = False  # and samples that no robot can be


Varied = Annotated[InstanceOf[Distribution], BeforeValidator(distribution), PlainSerializer(lambda d: d.to_data())]


class Spec(Strict):
    """A sweep. Frozen; `to_data` and `spec` round-trip through JSON.

    >>> import redyn
    >>> plan = redyn.sweep.spec({"robot": "two-link", "samples": 4, "vary": {"*.mass": {"uniform": [1, 2]}},
    ...                          "run": {"call": "mass_matrix"}})
    >>> plan.shards, redyn.sweep.spec(plan.to_data()) == plan
    (1, True)
    """

    robot: dict[str, Any]
    load: Loading = Loading()
    vary: dict[str, Varied] = Field(default_factory=dict[str, Any])
    fixed: dict[Literal["q", "qd", "qdd", "tau"], Values] = Field(default_factory=dict[Any, Any])
    samples: Annotated[int, _whole(1, MOST_SAMPLES)]
    shard: Annotated[int, _whole(1, MOST_PER_SHARD)] = USUAL_SHARD
    seed: Annotated[int, _whole(0, LARGEST_SEED - 1)] = 0
    sampling: Literal["random", "sobol"] = "random"  # sobol: all that is continuous is quasi-random
    run: Annotated[RunKind, BeforeValidator(_run), PlainSerializer(_run_data)]
    outputs: Names = ()

    @model_validator(mode="before")
    @classmethod
    def _count_grid(cls, data: Any) -> Any:
        """Without a number of samples, each combination of the grids once."""
        entries = dict(cast("dict[str, Any]", data)) if isinstance(data, dict) else dict[str, Any]()
        if "samples" not in entries and isinstance(entries.get("vary"), Mapping):
            try:
                grids = [d for d in map(distribution, entries["vary"].values()) if isinstance(d, Grid)]
            except ValueError:
                return entries  # said with its place by the field
            if grids and not any("*" in name for name in entries["vary"]):
                count = 1
                for grid in grids:
                    count *= len(grid.values)
                return {**entries, "samples": count}
        return cast(Any, data)

    @property
    def shards(self) -> int:
        """How many there are."""
        return -(-self.samples // self.shard)

    def rows(self, k: int) -> range:
        """The samples of a shard."""
        if not 0 <= k < self.shards:
            raise InputError(f"shard: expected a number from 0 to {self.shards - 1}, got {k}")
        return range(k * self.shard, min((k + 1) * self.shard, self.samples))

    def to_data(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def to_json(self) -> str:
        """In one line; the same specification gives the same text."""
        return json.dumps(self.to_data(), allow_nan=False)

    @property
    def hash(self) -> str:
        """Of everything in it: 64 hexadecimal digits."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    @property
    def names_code(self) -> bool:
        """Whether running it runs a function that it names."""
        return isinstance(self.run, Function)


Source = Spec | str | PathLike[str] | Mapping[str, Any]


def spec(source: Source) -> Spec:
    """A specification from a .yaml or .json file or a dict, whose `robot` may also be a Robot.

    >>> import redyn
    >>> redyn.sweep.spec({"robot": "two-link", "samples": 10, "run": {"call": "com"},
    ...                   "vary": {"q": {"unifrm": [0, 1]}}})
    Traceback (most recent call last):
    redyn.errors.DescriptionError: vary.q: no distribution is called 'unifrm'; did you mean 'uniform'?
    """
    if isinstance(source, Spec):
        return source
    if isinstance(source, Mapping):
        return _validated(source, "", Path())
    path = Path(source)
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise DescriptionError(str(path), f"the file is larger than {LARGEST_FILE // 1_000_000} MB")
        text = decoded(path.read_bytes(), str(path))
    except OSError as error:
        raise DescriptionError(str(path), f"cannot be read: {error.strerror}") from None
    expected = "a sweep: keys such as robot, vary, samples and run"
    if path.suffix.lower() != ".json":
        return _validated(mapping(text, path.name, expected), path.name, path.resolve().parent)
    try:
        data = json.loads(text)
    except ValueError as error:
        raise DescriptionError(path.name, f"not valid JSON: {error}") from None
    if not isinstance(data, dict):
        raise DescriptionError(path.name, f"expected {expected}")
    entries = cast("dict[str, Any]", data)
    return _validated(entries.get("spec", entries), path.name, path.resolve().parent)  # also the file of a folder


def _validated(data: Mapping[str, Any], origin: str, folder: Path) -> Spec:
    try:
        return Spec.model_validate(_with_robot(dict(data), origin, folder))
    except ValidationError as error:
        raise _translated(error, origin) from None


_FOLDED = ("floating_base", "loops", "actuated", "trust")  # options that change the description itself


def _with_robot(data: dict[str, Any], origin: str, folder: Path) -> dict[str, Any]:
    """With the description in place of the name of a robot, and without what has nothing to do with its motion."""
    source: Any = data.get("robot")
    load: Any = data.get("load") or {}
    if source is None or not isinstance(load, Mapping):
        return data
    options = dict(cast("Mapping[str, Any]", load))
    folded = {key: options.pop(key) for key in _FOLDED if key in options}
    try:
        if isinstance(source, Robot):
            friction, exact, mimic = source._options  # pyright: ignore[reportPrivateUsage]
            description = source.description
            options = {"friction": friction, "exact": exact, "mimic": mimic, "allow_unphysical": True} | options
        else:
            if isinstance(source, str) and (folder / source).is_file():
                source = folder / source
            loose = str(options.get("allow_unphysical", False)).lower() == "true" or isinstance(source, Mapping)
            if "floating_base" in folded:
                folded["floating_base"] = str(folded["floating_base"]).lower() == "true"
            description = read(cast(Any, source), allow_unphysical=loose, **folded)
    except RedynError as error:
        raise DescriptionError(f"{origin}: robot" if origin else "robot", str(error)) from None
    described = to_data(description)
    for link in cast("list[dict[str, Any]]", described["links"]):
        link.pop("visual", None)
        solid = [shape for shape in link.pop("collision", ()) if shape["type"] != "mesh"]
        if solid:
            link["collision"] = solid
    return {**data, "robot": described, "load": options}


def _translated(error: ValidationError, origin: str) -> DescriptionError:
    found = _first(error, Spec)
    where, _, what = found.partition(": ")
    return DescriptionError(f"{origin}: {where}" if origin else where, what)


def _first(error: ValidationError, model: type[Strict]) -> str:
    """The first mistake of a file: where and what."""
    problems = error.errors(include_url=False)  # a key that is wrong is why another one is missing
    problem = next((p for p in problems if p["type"] == "extra_forbidden"), problems[0])
    kind, steps = problem["type"], [step for step in problem["loc"] if step != "[key]"]
    where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).lstrip(".")
    if kind == "missing":
        return f"{where}: missing"
    if kind == "extra_forbidden":
        names = list(Loading.model_fields) + list(_FOLDED) if steps[0] == "load" else list(model.model_fields)
        return f"{where}: unknown key{suggestion(str(steps[-1]), names)}"
    message = str(problem["msg"]).removeprefix("Value error, ")
    if where == "run" and message.startswith(tuple(f"{name}." for name in RUNS)):
        return f"run.{message}"
    return f"{where}: {message}" if kind == "value_error" else f"{where}: {message}, got {shown(problem['input'])}"


__all__ = ["Call", "Function", "Inverse", "PDControl", "Simulate", "Source", "Spec", "spec"]
