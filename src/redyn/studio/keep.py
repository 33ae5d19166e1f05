"""The work of a tab as plain data that its browser saves, so that it survives a restart of the server.

Data from a browser is not trusted: tables are validated like any robot, forms like any user input.
Uploaded files and the numbers of pinned runs are stored by the browser itself and sent again (see parts/keep.js).
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, cast, get_args

from redyn.description import from_mapping, to_data
from redyn.description.packages import package_robots
from redyn.description.schema import WORLD
from redyn.errors import InputError
from redyn.robot import Robot
from redyn.studio.carrying import FIELDS as FIELDS_OF_PAYLOAD
from redyn.studio.carrying import PayloadForm
from redyn.studio.editor import MOST_LINKS
from redyn.studio.entries import guided
from redyn.studio.flexible_cells import FLEXIBLE
from redyn.studio.forms import MotionForm, PathForm, RunForm
from redyn.studio.grounding import FIELDS as FIELDS_OF_GROUND
from redyn.studio.grounding import GroundForm
from redyn.studio.lessons import Lessons
from redyn.studio.links import new_robot
from redyn.studio.loop_rows import LOOP
from redyn.studio.motors import MotorForm
from redyn.studio.opening import Opened, Origin, build, open_source
from redyn.studio.pins import Board
from redyn.studio.plans import DRIVES, KINDS, METHODS, PATHS
from redyn.studio.pushing import FIELDS as FIELDS_OF_PUSH
from redyn.studio.pushing import MOST as MOST_PUSHES
from redyn.studio.pushing import PushForm
from redyn.studio.reaching import COUNTS, PLANES, WAYS, PoseForm
from redyn.studio.state import MOTIONS, State, Tab
from redyn.studio.table import Draft, draft_of
from redyn.studio.table import read as read_draft
from redyn.studio.teaching import FIELDS, LEGS, MOST_POINTS, TIP, PointForm, TaughtForm
from redyn.studio.units import ANGLES

VERSION = 2
LARGEST = 2_000_000  # bytes, as JSON
LONGEST = 300  # characters of a field
_TEXTS = {
    "motion": ("kind", "duration", "sample"),
    "run": ("duration", "drive", "kp", "kd", "method", "rtol", "step", "sample", "compare"),
}
_SWITCHES = ("stops", "saturate", "duration_given", "gains_given")  # of a run
_LISTS = {"motion": ("start", "stop"), "run": ("q", "qd", "torque", "target")}


def snapshot(state: State) -> dict[str, Any]:
    """Everything the user has entered, without results, which can be recomputed."""
    draft, archive, editable = state.editor.draft, state.archive, state.editor.editable
    return {
        "version": VERSION,
        "robot": to_data(state.robot.description),  # the last valid one
        "tables": {"robot": draft.robot, "rows": draft.rows, "rest": draft.rest, "loops": draft.loops}
        if editable
        else None,
        "motion": {
            **_form(state.motion, "motion"),
            "typed": state.motion.typed,
            "taught": dataclasses.asdict(state.motion.taught),
            "paths": {kind: dataclasses.asdict(path) for kind, path in state.motion.paths.items()},
        },
        "run": {
            **_form(state.run, "run"),
            **{name: getattr(state.run, name) for name in _SWITCHES},
            "pushes": [dataclasses.asdict(x) for x in state.run.pushes],
            "ground": dataclasses.asdict(state.run.ground),
        },
        "pose": dataclasses.asdict(state.pose),
        "payload": dataclasses.asdict(state.payload),
        "motors": state.motors.cells,
        "sizing": sorted(state.sizing),
        "lessons": state.lessons.snapshot(),
        "angles": state.angles.name,
        "tab": state.tab,
        "before": state.before,
        "board": state.board.snapshot(),
        "ran": state.forward is not None or state.job is not None,
        "chosen": archive.chosen if archive else "",
        "uploaded": state.meshes is not None,
        "package": state.origin.package,
        "own": state.meshes is None and state.robot.description.folder is not None,
    }


def _form(form: MotionForm | RunForm, name: str) -> dict[str, Any]:
    return {key: getattr(form, key) for key in (*_TEXTS[name], *_LISTS[name])}


def restore(state: State, data: object, start: Opened | None = None) -> None:
    """Restores a saved state; on invalid data, InputError, and the state is unchanged.

    `start`: the robot that the server was started with. A robot from its file, or of a package, gets its meshes and
    warnings.
    """
    try:
        kept = cast("dict[str, Any]", data)
        if kept["version"] != VERSION:
            raise InputError("it was saved with another version of redyn")
        robot = build(from_mapping(kept["robot"]))
        draft = _draft(kept["tables"]) if kept["tables"] is not None else draft_of(robot.description)
        read_draft(draft)  # valid or not, but of the right structure
        motion, run = MotionForm(), RunForm()
        motion.fit(robot)
        run.fit(robot)
        _fill(motion, kept["motion"], "motion")
        motion.typed = kept["motion"]["typed"] is True
        motion.paths = _paths(kept["motion"]["paths"], len(motion.start))
        motion.taught = _taught(kept["motion"].get("taught"), robot)
        _fill(run, kept["run"], "run")
        for name in _SWITCHES:
            setattr(run, name, kept["run"].get(name) is True)
        run.pushes = _pushes(kept["run"].get("pushes", []), robot)
        run.ground = _ground(kept["run"].get("ground"), run.ground)
        payload = _payload(kept.get("payload"))
        motors = _motors(kept.get("motors"), robot)
        sizing: set[Tab] = {tab for tab in MOTIONS if tab in kept.get("sizing", [])}
        pose = _pose(kept.get("pose"), robot)
        tab, before = _tab(kept["tab"]), _tab(kept["before"])
        board = Board.restored(kept["board"]) if "board" in kept else Board()
        lessons = Lessons.restored(kept["lessons"]) if "lessons" in kept else Lessons()
        own = kept["own"] is True
        package = kept.get("package", "")
        angles = ANGLES.get(str(kept.get("angles")), state.angles)
        draft = dataclasses.replace(draft, origin=Origin(chosen=str(kept["chosen"])[:LONGEST]))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InputError(f"the saved work cannot be read ({type(error).__name__})") from None
    if package in package_robots():
        start = open_source(package)
    folder = start.description.folder if start is not None and own else None
    if start is not None and folder is not None:
        draft = dataclasses.replace(draft, folder=folder, origin=start.origin)
        robot = build(robot.description.placed_in(folder))
    if before not in MOTIONS:
        before = "inverse"
    state.editor.restore(draft, robot.description)
    state.robot, state.q, state.motion, state.run = robot, robot.initial.copy(), motion, run
    state.payload, state.motors, state.sizing = payload, motors, sizing
    state.pose, state.tab, state.before, state.origin, state.board = pose, tab, before, draft.origin, board
    state.inverse, state.forward, state.job, state.lessons = None, None, None, lessons
    state.angles = angles
    state.forget_reached()
    state.forget_cloud()


def _tab(value: object) -> Tab:
    return next((tab for tab in get_args(Tab) if tab == value), "inverse")


def _draft(data: dict[str, Any]) -> Draft:
    """Tables with errors in them."""
    rows = tuple({str(key): str(text)[:LONGEST] for key, text in row.items()} for row in data["rows"])
    rows = tuple({**dict.fromkeys(FLEXIBLE, ""), **row} for row in rows)  # which earlier versions did not have
    rest = tuple(dict(entry) for entry in data["rest"])
    robot = dict(data["robot"])
    if not 0 < len(rows) == len(rest) <= MOST_LINKS or robot["convention"] not in ("dh", "modified-dh", "frames"):
        raise ValueError("not tables")
    columns = set(draft_of(new_robot(robot["convention"])).rows[0])
    if any(set(row) != columns for row in rows):
        raise ValueError("not a row")
    loops = tuple({str(key): str(text)[:LONGEST] for key, text in row.items()} for row in data["loops"])
    if len(loops) > MOST_LINKS or any(set(row) != set(LOOP) for row in loops):
        raise ValueError("not loops")
    if "actuated" in robot:
        robot["actuated"] = [str(name)[:LONGEST] for name in robot["actuated"]][:MOST_LINKS]
    return Draft({**robot, "centre": "r" if robot.get("centre") == "r" else "com"}, rows, rest, loops)


def _paths(data: dict[str, Any], count: int) -> dict[str, PathForm]:
    """Circles and screws; those of another robot are left out."""
    paths: dict[str, PathForm] = {}
    for kind in PATHS:
        if kind in data:
            fields = {name: str(data[kind][name])[:LONGEST] for name in ("centre", "axis", "angle", "advance")}
            begin = [str(text)[:LONGEST] for text in data[kind]["begin"]]
            if len(begin) == count:
                paths[kind] = PathForm(begin, **fields, typed=data[kind]["typed"] is True)
    return paths


def _taught(data: object, robot: Robot) -> TaughtForm:
    """Taught points; those of another robot are left out."""
    if not isinstance(data, dict):
        return TaughtForm()
    kept = cast("dict[str, Any]", data)
    points: list[PointForm] = []
    for point in kept["points"][:MOST_POINTS]:
        values = [str(text)[:LONGEST] for text in point["q"]]
        fields = {name: str(point[name])[:LONGEST] for name in FIELDS}
        fields["leg"] = fields["leg"] if fields["leg"] in LEGS else "quintic"
        if len(values) == len(guided(robot).q):
            points.append(PointForm(values, **fields))
    limits = [str(kept[name])[:LONGEST] for name in ("speed", "acceleration")]
    return TaughtForm(points, *limits, *(str(kept.get(name, ""))[:LONGEST] for name in TIP))


def _pushes(data: Any, robot: Robot) -> list[PushForm]:
    """Pushes; those on links that the robot does not have are left out."""
    made = [PushForm(**{name: str(push[name])[:LONGEST] for name in FIELDS_OF_PUSH}) for push in data[:MOST_PUSHES]]
    return [push for push in made if push.link in robot.frame_names]


def _payload(data: object) -> PayloadForm:
    """Sessions of earlier versions have none."""
    if not isinstance(data, dict):
        return PayloadForm()
    kept = cast("dict[str, Any]", data)
    return PayloadForm(*(str(kept[name])[:LONGEST] for name in FIELDS_OF_PAYLOAD))


def _motors(data: object, robot: Robot) -> MotorForm:
    """Motors; those of another robot are left out."""
    form = MotorForm()
    form.fit(robot)
    if isinstance(data, dict):
        kept = cast("dict[str, Any]", data)
        for name, texts in form.cells.items():
            typed = [str(text)[:LONGEST] for text in kept[name]]
            if len(typed) == len(texts):
                form.cells[name] = typed
    return form


def _pose(data: object, robot: Robot) -> PoseForm:
    """The kinematics panel; what does not fit the robot is left out."""
    form = PoseForm()
    form.fit(robot)
    if not isinstance(data, dict):
        return form
    kept = cast("dict[str, Any]", data)
    for key, known in (("way", WAYS), ("counts", COUNTS), ("plane", PLANES)):
        if kept[key] in known:
            setattr(form, key, kept[key])
    for key in ("frame", "of", "seen_from"):
        if kept[key] in (*robot.frame_names, *([WORLD] if key != "frame" else [])):
            setattr(form, key, kept[key])
    form.ghosts, form.handle, form.ellipsoid = (kept[key] is True for key in ("ghosts", "handle", "ellipsoid"))
    numbers = [str(text)[:LONGEST] for text in kept["numbers"]]
    matrix = [[str(text)[:LONGEST] for text in row] for row in kept["matrix"]]
    if len(numbers) == 6 and [len(row) for row in matrix] == [4, 4, 4]:
        form.numbers, form.matrix, form.counts = numbers, matrix, form.counts or "pose"
    return form


def _ground(data: Any, usual: GroundForm) -> GroundForm:
    """As saved; an older version saved none."""
    if not isinstance(data, dict):
        return usual
    kept = cast("dict[str, Any]", data)
    texts = {name: str(kept.get(name, ""))[:LONGEST] for name in FIELDS_OF_GROUND}
    return GroundForm(on=kept.get("on") is True, **texts)


def _fill(form: MotionForm | RunForm, data: dict[str, Any], name: str) -> None:
    """Restores the fields of a form; those that do not fit the robot are left unchanged."""
    for key in _TEXTS[name]:
        setattr(form, key, str(data[key])[:LONGEST])
    for key in _LISTS[name]:
        texts = [str(text)[:LONGEST] for text in data[key]]
        if len(texts) == len(getattr(form, key)):
            setattr(form, key, texts)
    if isinstance(form, MotionForm):
        form.kind = form.kind if form.kind in KINDS else "cycloidal"
    else:
        form.drive = form.drive if form.drive in DRIVES else "none"
        form.method = form.method if form.method in METHODS else "rkf45"


def read(path: Path) -> object:
    """Parses the data that a browser sent."""
    if path.stat().st_size > LARGEST:
        raise InputError(f"it is larger than {LARGEST // 1_000_000} MB")
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise InputError("it is not JSON") from None
