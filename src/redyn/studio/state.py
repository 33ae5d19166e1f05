"""What one browser tab works on: a robot being edited, its pose, the forms and what was computed. No user interface."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from redyn.description import RobotDescription, library, read
from redyn.description.schema import WORLD
from redyn.errors import InputError
from redyn.robot import Robot
from redyn.simulation import Run
from redyn.studio import code, uploads
from redyn.studio.coordinates import slid
from redyn.studio.forms import MotionForm, RunForm
from redyn.studio.jobs import Job
from redyn.studio.plans import RunPlan
from redyn.studio.table import Editor, new_robot
from redyn.studio.work import Forward, Inverse, inverse

Array = NDArray[np.float64]
Tab = Literal["inverse", "forward", "equations"]

FIRST = "kuka-kr5"
MOST_VALUES = 150  # of a robot in the studio: every joint value has a curve
FULL = np.ones(6, dtype=bool)
POSITION = np.array([False, False, False, True, True, True])


@dataclass
class State:
    """Call `close` when it is no longer needed: it owns a folder of uploads."""

    editor: Editor
    robot: Robot
    q: Array
    motion: MotionForm = field(default_factory=MotionForm)
    run: RunForm = field(default_factory=RunForm)
    tab: Tab = "inverse"
    inverse: Inverse | None = None
    forward: Forward | None = None
    job: Job | None = None
    before: Tab = "inverse"  # the tab that was open before the equations
    time: float = 0.0  # that the player shows
    notes: list[str] = field(default_factory=list[str])  # about the robot: warnings of its file
    _folder: Path | None = None

    @classmethod
    def first(cls, source: str | Path = FIRST) -> State:
        """A robot of the library or a file, and its usual motion."""
        description, robot, notes = _with_tip(read(source), [])
        state = cls(Editor(description), robot, robot.initial.copy())
        state.motion.fit(robot)
        state.run.fit(robot)
        state.notes = notes
        return state

    def close(self) -> None:
        if self.job is not None:
            self.job.cancel()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def folder(self) -> Path:
        """Private to this tab."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="redyn-studio-"))
        return self._folder

    # --- the robot --------------------------------------------------------------------------------------------

    def pick(self, name: str) -> None:
        """A robot of the library."""
        if name not in library():
            raise InputError(f"the library has no robot {name!r}")
        self._open(read(name), [])

    def begin(self, convention: str) -> None:
        """A table with one link."""
        self._open(new_robot(convention), [])

    def upload_robot(self, name: str, data: bytes) -> None:
        path = uploads.save(self.folder, name, data)
        description, notes = uploads.read_robot(path)
        self._open(description, notes)

    def _open(self, description: RobotDescription, notes: list[str]) -> None:
        description, robot, notes = _with_tip(description, notes)
        self.editor.open(description)
        self._use(robot)
        self.motion.fit(robot)
        self.run.fit(robot)
        self.notes = notes

    def follow_editor(self) -> bool:
        """After an edit, an undo or a redo: the robot of the tables, if they are right. True if it is another one."""
        if self.editor.problems or self.editor.description == self.robot.description:
            return False
        robot = _checked(self.editor.description)
        same = robot.coordinate_names == self.robot.coordinate_names
        alike = robot.model.quaternions == self.robot.model.quaternions
        before = self.robot.initial
        pose = self.q
        self._use(robot)
        for form in (self.motion, self.run):
            (form.refit if alike else form.fit)(robot)
        if same and np.array_equal(before, robot.initial):
            self.q = pose
        elif same:  # another initial pose: motions begin there
            kept = self.motion.stop
            self.motion.fit(robot)
            self.motion.stop = kept
            self.run.fit(robot)
        return True

    def _use(self, robot: Robot) -> None:
        if self.job is not None:
            self.job.cancel()
        self.robot, self.q = robot, robot.initial.copy()
        self.inverse, self.forward, self.job = None, None, None

    # --- pose -------------------------------------------------------------------------------------------------

    def jog(self, slider: int, value: float) -> None:
        """One joint, within its limits; of joints with several velocities, along one of them (see coordinates.py)."""
        if not 0 <= slider < self.robot.dof or not np.isfinite(value):
            raise InputError(f"slider {slider + 1}: expected a number")
        low, high = self.robot.limits[slider]
        self.q = slid(self.robot, self.q, slider, float(np.clip(value, low, high)))

    @property
    def tip_can_jog(self) -> bool:
        """Inverse kinematics does not search for quaternions."""
        return self.robot.nq == self.robot.dof and self.robot.model.end_effector is not None

    def jog_tip(self, axis: int, step: float) -> None:
        """The end effector, along (0 to 2) or about (3 to 5) an axis of the world, by inverse kinematics.

        Robots with few joints cannot keep the other five as they are: then the position counts, or what can be had.
        """
        pose = self.robot.forward_kinematics(self.q)
        wanted = pose.copy()
        if axis < 3:
            wanted[axis, 3] += step
        else:
            from redyn.description.placement import rotation

            wanted[:3, :3] = rotation(np.eye(3)[axis - 3], step)[:3, :3] @ pose[:3, :3]
        own = np.zeros(6, dtype=bool)
        own[axis + 3 if axis < 3 else axis - 3] = True
        masks = [FULL, POSITION, own] if axis < 3 else [FULL, own | POSITION, own]
        reason = ""
        for mask in masks:
            found = self.robot.inverse_kinematics(wanted, start=self.q, mask=mask, tolerance=1e-8, count=1, tries=3)
            near = [s.q for s in found if np.abs(s.q - self.q).max() < max(1.0, 20 * abs(step))]
            if near:
                self.q = near[0]
                return
            reason = reason or found.reason
        raise InputError(f"the end effector cannot go there: {reason or 'only by a jump of the joints'}")

    def show_time(self, t: float) -> None:
        """The pose of the motion that is played at a time."""
        found = self.played
        if found is not None:
            self.q = found.q[_instant(found.t, t)].copy()

    def choose(self, tab: Tab) -> None:
        if self.tab != "equations":
            self.before = self.tab
        self.tab = tab

    @property
    def playing(self) -> Tab:
        """The tab whose motion the player plays: the open one, but the equations leave it as it was."""
        return self.before if self.tab == "equations" else self.tab

    @property
    def played(self) -> Run | Inverse | None:
        """What the player plays, with t, q and qd."""
        if self.playing == "forward":
            return None if self.forward is None else self.forward.runs[0].run
        return self.inverse

    def rates_at(self, t: float) -> Array:
        """Joint rates of the motion that is played; zero where there is none."""
        found = self.played
        return np.zeros(self.robot.dof) if found is None else found.qd[_instant(found.t, t)]

    # --- dynamics ---------------------------------------------------------------------------------------------

    def run_inverse(self) -> Inverse:
        self.inverse = inverse(self.robot, self.motion.plan(self.robot))
        return self.inverse

    def forward_order(self) -> tuple[RunPlan, list[RobotDescription], list[str]]:
        """What to hand to `work.forward`."""
        plan = self.run.plan(self.robot, self.motion)
        robots, methods = [self.robot.description], [plan.method]
        kind, _, name = self.run.compare.partition(":")
        if kind == "method" and name:
            if name == plan.method:
                raise InputError(f"compare: choose another integrator than {name} itself")
            methods.append(name)
        elif kind == "robot" and name:
            other = read(name)
            robots.append(other)
        return plan, robots, methods

    def upload_motion(self, name: str, data: bytes) -> None:
        self._table(name, data, self.motion)

    def upload_torque(self, name: str, data: bytes) -> None:
        self._table(name, data, self.run)

    def _table(self, name: str, data: bytes, form: MotionForm | RunForm) -> None:
        path = uploads.save(self.folder, name, data)
        try:
            form.read_csv(path, self.robot)
        except InputError as error:
            raise InputError(uploads.without_folder(str(error), path.parent)) from None

    # --- take it home -----------------------------------------------------------------------------------------

    def python(self) -> str:
        """The Python that repeats what the open tab shows; what its form would give where nothing was run yet."""
        description = self.robot.description
        if self.tab == "inverse":
            plan = self.motion.plan(self.robot) if self.inverse is None else self.inverse.plan
            return code.inverse_code(description, plan)
        if self.tab == "forward":
            plan, robots, methods = self.forward_order() if self.forward is None else self.forward.order
            return code.forward_code(description, plan, robots[1] if len(robots) > 1 else None, methods)
        return code.state_code(description, self.q.tolist(), self.rates_at(self.time).tolist())

    def html(self) -> tuple[str, bytes]:
        """A report of the motion that is played: its name and its content."""
        from redyn.report.html import write_html
        from redyn.studio.work import inverse_plots

        if self.played is None:
            raise InputError("there is no motion yet: run the inverse or the forward dynamics first")
        with tempfile.TemporaryDirectory(prefix="redyn-studio-") as folder:
            path = Path(folder) / "report.html"
            if self.playing == "forward" and self.forward is not None:
                self.forward.runs[0].run.html(path)
            elif self.inverse is not None:
                found = self.inverse
                plots = list(inverse_plots(found).values())
                title = f"{self.robot.name}: {found.plan.kind} motion in {found.plan.duration:g} s"
                write_html(path, self.robot, found.t, found.q, plots, title=title, notes=["inverse dynamics"])
            return f"{uploads.safe_name(self.robot.name)}-{self.playing}.html", path.read_bytes()


def _instant(times: Array, t: float) -> int:
    return int(np.clip(np.searchsorted(times, t), 0, len(times) - 1))


def farthest_tip(description: RobotDescription) -> str:
    """Of a tree that names no end effector: the frame that carries nothing and hangs on the most joints."""
    joints: dict[str, int] = {WORLD: 0}
    left = {str(link.name): link for link in description.links}
    while left:  # parents may come later in the file
        for name, link in list(left.items()):
            if str(link.parent) in joints:
                joints[name] = joints[str(link.parent)] + (link.joint.type != "fixed")
                del left[name]
    inner = {str(link.parent) for link in description.links}
    return max((name for name in joints if name not in inner), key=lambda name: joints[name])


def _with_tip(description: RobotDescription, notes: list[str]) -> tuple[RobotDescription, Robot, list[str]]:
    """A robot with an end effector, and what is to be said of it."""
    robot = _checked(description)
    if robot.model.end_effector is not None:
        return description, robot, notes
    tip = farthest_tip(description)
    description = description.model_copy(update={"end_effector": tip})
    said = f"{tip} is taken for the end effector; the tab Frame pose can choose another frame"
    return description, Robot(description), [*notes, said]


def _checked(description: RobotDescription) -> Robot:
    values = sum(len(link.joint.neutral) for link in description.links if link.joint.type != "fixed")
    if values > MOST_VALUES:
        raise InputError(f"{description.name} has {values} joint values; the studio shows at most {MOST_VALUES}")
    return Robot(description)
