"""Reads and writes robot files in YAML, with a safe loader that also refuses certain mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import yaml
from pydantic import ValidationError

from redyn.description.checks import complete
from redyn.description.numbers import format_angle
from redyn.description.numbers import shown as _shown
from redyn.description.schema import LoopDescription, RobotDescription
from redyn.description.units import doubtful, loop_values, values
from redyn.errors import DescriptionError, warn
from redyn.words import suggestion

LARGEST_FILE = 50_000_000  # bytes of a robot file
# Limits of a YAML file, which is parsed in Python at some 20,000 values per second: 1,500 links, a few seconds.
LARGEST_YAML = 1_000_000  # characters
MOST_VALUES = 50_000  # keys, numbers, lists and mappings

_ANGLES = ("alpha", "theta")
_STANDARD = "tag:yaml.org,2002:"  # written !! in a file


class _Loader(yaml.SafeLoader):
    """Mappings, lists and text; duplicate keys, anchors and tags are errors.

    Numbers stay text for our own parser: YAML 1.1 would read 010 as 8, 1:30 as 90 and 1e-3 not at all.
    """

    def __init__(self, stream: Any) -> None:
        super().__init__(stream)
        self._values = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = cast(Any, self).peek_event()
        self._values += 1
        if self._values > MOST_VALUES:
            message = f"more than {MOST_VALUES:,} values, which no robot file needs"
            raise yaml.MarkedYAMLError(None, None, message, event.start_mark)
        message = ""
        if getattr(event, "anchor", None) is not None:
            message = "anchors and aliases are not used in robot files"
        elif getattr(event, "tag", None) is not None:
            tag = str(event.tag).replace(_STANDARD, "!!")[:60]
            message = f"tags such as {tag} are not used in robot files; write the plain value"
        if message:
            raise yaml.MarkedYAMLError(None, None, message, event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.MarkedYAMLError(None, None, f"the key {key.value!r} appears twice", key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep)


_NULL = f"{_STANDARD}null"
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag == _NULL]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def parse_yaml(text: str, origin: str, extra: Mapping[str, object] | None = None) -> RobotDescription:
    """A robot from the text of a file; `origin` names the file in errors, `extra` takes the place of keys in it."""
    data = mapping(text, origin, "a robot: keys such as name, convention and links")
    return from_mapping({**data, **(extra or {})}, origin)


def mapping(text: str, origin: str, expected: str) -> dict[str, object]:
    """The keys of a YAML file; `expected` says what it should hold."""
    if len(text) > LARGEST_YAML:
        limit = f"the limit is {LARGEST_YAML:,} characters"
        raise DescriptionError(origin, f"the file is too long for a robot in YAML: {len(text):,} characters; {limit}")
    try:
        data = yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = cast(Any, error.problem_mark)
        line = f":{mark.line + 1}" if mark is not None else ""
        raise DescriptionError(f"{origin}{line}", f"not valid YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise DescriptionError(origin, f"not valid YAML: {error}") from None
    if not isinstance(data, Mapping):
        raise DescriptionError(origin, f"expected {expected}")
    return dict(cast("Mapping[str, object]", data))


def decoded(data: bytes, origin: str) -> str:
    """The text of a file in UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DescriptionError(origin, f"not UTF-8 text (byte {error.start})") from None


def from_mapping(data: Mapping[str, object], origin: str = "") -> RobotDescription:
    """A robot from plain data, every error with its location."""
    try:
        robot = RobotDescription.model_validate(dict(data))
    except ValidationError as error:
        raise translated(error, origin) from None
    except RecursionError:
        raise DescriptionError(origin, "nested too deeply to be a robot") from None
    try:
        doubts = list(doubtful(robot, data))
        robot = complete(robot)
    except DescriptionError as error:
        if not origin:
            raise
        raise DescriptionError(f"{origin}: {error.where}", error.what) from None
    if doubts:
        more = f" (and {len(doubts) - 1} more)" if len(doubts) > 1 else ""
        warn(f"{origin or robot.name}: {doubts[0]}{more}")
    return robot


def translated(error: ValidationError, origin: str) -> DescriptionError:
    """The error of a field in words, with its location."""
    problems = error.errors(include_url=False)
    lines: list[str] = []
    for problem in problems[:5]:
        where = ""
        for step in problem["loc"]:
            where += f"[{step}]" if isinstance(step, int) else f".{step}" if where else str(step)
        lines.append(f"{where}: {_message(problem)}" if where else _message(problem))
    if len(problems) > 5:
        lines.append(f"and {len(problems) - 5} more")
    where, _, rest = "\n".join(lines).partition(": ")
    return DescriptionError(f"{origin}: {where}" if origin else where, rest)


_CURES = {
    "convention": "; write dh, modified-dh or frames",
    "joint": "; write revolute, prismatic, fixed or another type",
    "type": "; write revolute, prismatic, fixed or another type",
    "links": "; a list with one entry per link",
    "name": "; the name of the robot",
    "loops.joint": "; write revolute, spherical or another type",
    "loops.between": "; the two links that the joint connects, or the two joints of a gear",
    "mimic.joint": "; the name of the joint to mimic",
    "visual.type": "; write box, cylinder, capsule, sphere, ellipsoid or mesh",
    "collision.type": "; write box, cylinder, capsule, sphere, ellipsoid or mesh",
}


def _message(problem: Any) -> str:
    kind, given = str(problem["type"]), problem.get("input")
    if kind == "missing":
        names = [step for step in problem["loc"] if isinstance(step, str)]
        return "missing" + (_CURES.get(".".join(names[-2:])) or _CURES.get(names[-1], ""))
    if kind == "too_short":
        return "expected at least 1 link"
    if kind == "too_long":
        return f"expected at most {problem['ctx']['max_length']:,} entries, got {problem['ctx']['actual_length']:,}"
    if kind in ("model_type", "model_attributes_type", "dict_type") and problem["loc"][-1:] == ("joint",):
        return "expected revolute, prismatic, fixed or another type, or a mapping with type"
    if kind in ("model_type", "model_attributes_type", "dict_type") and problem["loc"][-1:] == ("mimic",):
        return "expected a mapping with joint and, optionally, multiplier and offset"
    if kind == "list_type" and problem["loc"][-1:] in (("visual",), ("collision",)):
        return "expected a list of shapes such as {type: box, size: [1, 1, 1]}"
    if kind == "list_type" and problem["loc"] == ("loops",):
        return f"expected a list of loops such as {{between: [link2, link3], joint: revolute}}, got {_shown(given)}"
    if kind == "list_type" and problem["loc"] == ("actuated",):
        return f"expected a list of joints such as [joint1], got {_shown(given)}"
    if kind in ("list_type", "model_type", "model_attributes_type"):
        return f"expected {'a list' if kind == 'list_type' else 'a mapping'}, got {type(given).__name__}"
    if kind == "extra_forbidden" and problem["loc"][0] == "loops" and len(problem["loc"]) == 3:
        return f"unknown key of a loop{suggestion(str(problem['loc'][-1]), list(LoopDescription.model_fields))}"
    if kind == "extra_forbidden":
        return "unknown key; see `redyn show --help` for the fields of a robot file"
    if kind == "literal_error":
        return f"expected {problem['ctx']['expected']}, got {_shown(given)}"
    message = str(problem["msg"]).removeprefix("Value error, ")
    shown = _shown(given)
    return message if kind == "value_error" else f"{message}, got {shown}"


def to_data(robot: RobotDescription) -> dict[str, object]:
    """Plain data that reads back as the same robot, without defaults."""
    data = robot.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
    for described, link in zip(robot.links, data["links"], strict=True):
        for field in _ANGLES:
            if field in link:
                link[field] = format_angle(link[field])
        if "rpy" in link:
            link["rpy"] = [format_angle(angle) for angle in link["rpy"]]
        if len(link["joint"].get("initial", ())) == 1:
            link["joint"]["initial"] = link["joint"]["initial"][0]
        for item in values(described):
            if item.doubtful:
                _say_radians(link, item.path)
        if set(link["joint"]) == {"type"}:
            link["joint"] = link["joint"]["type"]
    for described, loop in zip(robot.loops, data.get("loops", ()), strict=True):
        for frame in loop.get("frames", ()):
            if "rpy" in frame:
                frame["rpy"] = [format_angle(angle) for angle in frame["rpy"]]
        for item in loop_values(described):
            if item.doubtful:
                _say_radians(loop, item.path)
    return data


def _say_radians(part: Any, path: tuple[str | int, ...]) -> None:
    """A number with its unit, if it would otherwise look like degrees."""
    *above, last = path
    for step in above:
        part = part[step]
    part[last] = f"{part[last]!r} rad"


class _Dumper(yaml.SafeDumper):
    """Vectors on one line, everything else in blocks."""


def _represent_list(dumper: yaml.SafeDumper, values: list[object]) -> Any:
    flat = all(isinstance(value, int | float | str) for value in values) and len(values) <= 7
    return dumper.represent_sequence("tag:yaml.org,2002:seq", values, flow_style=flat)


def _represent_float(dumper: yaml.SafeDumper, value: float) -> Any:
    text = repr(value)
    if "e" in text and "." not in text:  # YAML 1.1 reads 1e-06 as text
        text = text.replace("e", ".0e")
    return cast(Any, dumper).represent_scalar("tag:yaml.org,2002:float", text)


_Dumper.add_representer(list, _represent_list)
_Dumper.add_representer(float, _represent_float)


def to_yaml(robot: RobotDescription) -> str:
    return yaml.dump(to_data(robot), Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True)
