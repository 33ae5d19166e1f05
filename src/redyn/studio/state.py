"""State of one browser tab: the robot being edited, its pose, the forms and the results. No user interface."""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from redyn.description import RobotDescription, library, read
from redyn.errors import InputError, RedynError
from redyn.kinematics.summary import loop_summary, singular_share
from redyn.report.scene import Carried
from redyn.robot import Robot
from redyn.simulation import Run
from redyn.simulation.joints import Joints
from redyn.studio import inbox
from redyn.studio.carrying import Payload, PayloadForm
from redyn.studio.closing import Closing, closing
from redyn.studio.coordinates import slid
from redyn.studio.editor import Editor
from redyn.studio.entries import entries, guided, is_closed, movable, planned, towards, why_open, why_undriven
from redyn.studio.forms import MotionForm, RunForm, per_joint
from redyn.studio.jobs import Job
from redyn.studio.lessons import Lessons
from redyn.studio.limits import position_range
from redyn.studio.motors import MotorForm, Sized, sized
from redyn.studio.opening import Opened, Origin, build, open_source
from redyn.studio.pins import Board
from redyn.studio.plans import METHODS, PATHS, RIGID, MotionPlan, Samples
from redyn.studio.reaching import Cloud, CloudOrder, PoseForm, Reached, ReachOrder, drawn_to, unsolved
from redyn.studio.units import RADIANS, Angles
from redyn.studio.work import Forward, Inverse, Order, inverse
from redyn.words import counted

Array = NDArray[np.float64]
Tab = Literal["inverse", "forward", "compare", "equations", "kinematics", "exercises"]
MOTIONS: tuple[Tab, ...] = ("inverse", "forward")  # tabs with a motion of their own

FIRST = "kuka-kr5"
FULL = np.ones(6, dtype=bool)
CLOSED = 1e-9  # m: a loop that is open by less is closed
POSITION = np.array([False, False, False, True, True, True])


@dataclass
class State:
    """Call `close` when it is no longer needed: it owns a folder of uploads.

    `robot` is the one shown and used in computations. While the tables are invalid it is the last valid one,
    and nothing is computed or exported.
    """

    editor: Editor
    robot: Robot
    q: Array
    motion: MotionForm = field(default_factory=MotionForm)
    run: RunForm = field(default_factory=RunForm)
    pose: PoseForm = field(default_factory=PoseForm)
    payload: PayloadForm = field(default_factory=PayloadForm)
    motors: MotorForm = field(default_factory=MotorForm)
    sizing: set[Tab] = field(default_factory=set["Tab"])  # panels that show the sizing instead of their plots
    tab: Tab = "inverse"
    inverse: Inverse | None = None
    forward: Forward | None = None
    job: Job | None = None
    derivation: Job | None = None  # of formulas
    reached: Reached | None = None  # the pose typed last, and its solutions
    cloud: Cloud | None = None
    search: Job | None = None  # of solutions
    sampling: Job | None = None  # of a cloud
    before: Tab = "inverse"  # the last open tab with a motion
    board: Board = field(default_factory=Board)  # pinned runs, which outlive the robot
    lessons: Lessons = field(default_factory=Lessons)
    angles: Angles = RADIANS  # in which unit they are shown and typed
    time: float = 0.0  # time of the player
    origin: Origin = field(default_factory=Origin)  # of the current robot
    _folder: Path | None = None
    _meshes: dict[Path, Path] = field(default_factory=dict[Path, Path])  # by the folder of the robot's file

    @classmethod
    def first(cls, source: str | Path | Opened = FIRST) -> State:
        """Opens a robot of the library or a file, with its default motion."""
        found = source if isinstance(source, Opened) else open_source(source)
        editor = Editor(found.description, found.origin)
        state = cls(editor, found.robot, found.robot.initial.copy(), origin=found.origin)
        state.motion.fit(found.robot)
        state.run.fit(found.robot)
        state.pose.fit(found.robot)
        state.motors.fit(found.robot)
        return state

    def close(self) -> None:
        for job in self.jobs:
            job.cancel()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def jobs(self) -> list[Job]:
        """Jobs that run, wait or have just ended."""
        own = (self.job, self.derivation, self.search, self.sampling, *self.lessons.jobs)
        return [job for job in own if job is not None]

    def let_go(self, simulations: bool) -> None:
        """Drops large results, which can be recomputed: motions automatically, simulations by running them again."""
        self.inverse = None
        if simulations:
            self.forward = None

    @property
    def folder(self) -> Path:
        """The folder of uploads, private to this tab."""
        if self._folder is None:
            self._folder = inbox.new_folder()
        return self._folder

    @property
    def stored(self) -> int:
        """Bytes of uploads."""
        return 0 if self._folder is None else inbox.size(self._folder)

    def keep_folder(self) -> None:
        """Marks the folder as in use for other servers: see `inbox.remove_abandoned`."""
        if self._folder is not None:
            with contextlib.suppress(OSError):
                os.utime(self._folder)

    # --- the robot -----------------------------------------------------------------------------------------------

    @property
    def mistake(self) -> str:
        """The error in the tables, if any: then `robot` is the last valid one."""
        return self.editor.mistake

    @property
    def wanted(self) -> RobotDescription | None:
        """The last valid robot of the tables, if it is not shown yet."""
        description = self.editor.description
        same = description == self.robot.description and self.editor.origin == self.origin
        return None if same else description

    @property
    def warnings(self) -> list[str]:
        """Warnings from loading the current robot."""
        return list(self.origin.warnings)

    @property
    def archive(self) -> Origin | None:
        """The uploaded archive that the robot comes from."""
        return self.origin if self.origin.robots else None

    @property
    def notes(self) -> list[str]:
        """Notes on the robot: warnings from loading it, notes on its loops, and defects listed in its file."""
        return [*self.warnings, *self.robot.notes, *self.robot.description.defects]

    @property
    def open_loop(self) -> str:
        """Why the loops of the robot cannot be closed: it is drawn, but nothing is computed. Empty if they can."""
        return why_open(self.robot)

    @property
    def loop_gaps(self) -> dict[str, str]:
        """By the name of a loop, how far it is open in the initial pose; empty while the tables show another robot."""
        if self.mistake or self.wanted is not None or not self.robot.model.loops:
            return {}
        return {line.name: line.gap for line in loop_summary(self.robot).loops}

    @property
    def loop_facts(self) -> list[str]:
        """What the loops come down to, in sentences; likewise."""
        if not is_closed(self.robot) or self.mistake or self.wanted is not None:
            return []
        return [f"{line[0].upper()}{line[1:]}." for line in loop_summary(self.robot).facts(self.robot)]

    def closing(self) -> Closing:
        """A loop that closes in the pose shown: see closing.py."""
        self.check_right()
        self.check_closed()
        return closing(self.editor.draft, self.robot, self.q)

    def check_closed(self) -> None:
        """Raises an error while a loop of the robot is open."""
        if self.open_loop:
            raise InputError(f"nothing can be computed: {self.open_loop}")

    @property
    def no_motion(self) -> str:
        """Why a robot cannot follow motions between poses; empty if it can."""
        if not self.robot.model.contacts:
            undriven = why_undriven(self.robot)
            return f"{undriven}; simulate it in the tab Forward dynamics" if undriven else ""
        return (
            f"the wheels of {self.robot.name} would slip in most motions between two poses; simulate it in the tab "
            "Forward dynamics"
        )

    def check_right(self) -> None:
        """Raises an error while the tables are invalid: results would be of another robot than the tables show."""
        if self.mistake:
            raise InputError(f"the tables contain an error, so nothing is computed or saved: {self.mistake}")

    def open(self, found: Opened) -> str:
        """Replaces the robot. Returns a note on what that has stopped."""
        self.editor.open(found.description, found.origin)
        stopped = self._use(found.robot)
        self.motion.fit(found.robot)
        self.run.fit(found.robot)
        self.pose.fit(found.robot)
        self.payload = PayloadForm()
        self.motors.fit(found.robot)
        if found.meshes is not None and found.description.folder is not None:
            self._meshes[found.description.folder] = found.meshes
        return stopped

    def rejoin(self, found: Opened) -> None:
        """The upload of a restored robot: the robot stays as it is and gets its meshes back."""
        folder = found.description.folder
        if folder is None or found.meshes is None:
            return
        if not mesh_files(self.robot.description) <= mesh_files(found.description):
            raise InputError(
                f"{found.archive} is not the file that {self.robot.name} comes from; upload that one again"
            )
        self._meshes[folder] = found.meshes
        self.editor.move(folder, found.origin)
        self.robot, self.origin = build(self.robot.description.placed_in(folder)), found.origin

    def follow(self, robot: Robot) -> str:
        """Adopts the robot of the tables after an edit, undo or redo. Returns a note on what that has stopped."""
        same = robot.coordinate_names == self.robot.coordinate_names
        alike = robot.model.quaternions == self.robot.model.quaternions and _names(robot) == _names(self.robot)
        before, pose = self.robot.initial, self.q
        stopped = self._use(robot)
        for form in (self.motion, self.run, self.pose):
            (form.refit if alike else form.fit)(robot)
        self.motors.refit(robot)
        if same and np.array_equal(before, robot.initial):
            self.q = pose if _fits(robot, pose) else self.q
        elif same and alike:  # new initial pose: motions begin there
            last = replace(self.motion)
            self.motion.fit(robot)
            self.motion.typed = last.typed
            if last.typed or not robot.model.loops:
                self.motion.stop = last.stop
            self.motion.taught = last.taught
            if last.kind in (*PATHS, "taught"):
                self.motion.kind, self.motion.paths = last.kind, last.paths
            self.run.fit(robot)
        return stopped

    def follow_editor(self) -> bool:
        """Builds the robot of the tables and adopts it, synchronously. True if it has changed."""
        description = self.wanted
        if description is None:
            return False
        try:
            self.follow(build(description))
        except RedynError as error:
            self.refuse(description, str(error))
            return False
        return True

    def refuse(self, description: RobotDescription, reason: str) -> None:
        """The robot of the tables cannot be built: the current one stays."""
        self.editor.refuse(description, reason, self.robot.description, self.origin)

    def _use(self, robot: Robot) -> str:
        stopped = self._drop_results("its robot is no longer the one shown")
        self.robot, self.origin, self.q = robot, self.editor.origin, robot.initial.copy()
        self.forget_reached()
        self.forget_cloud()
        return stopped

    def _drop_results(self, why: str) -> str:
        """Results are no longer those of what is shown. Returns a note if that has stopped a simulation."""
        stopped = ""
        if self.job is not None and not self.job.over.is_set():
            part = f" at {100 * self.job.progress:.0f} %" if self.job.progress else ""
            stopped = f"The simulation was stopped{part}: {why}."
            self.job.cancel()
        self.inverse, self.forward, self.job = None, None, None
        return stopped

    @property
    def carried(self) -> Carried | None:
        """The payload as it is drawn; None while there is none, or its fields are wrong."""
        with contextlib.suppress(RedynError):
            payload = self.payload.plan()
            return payload and payload.drawn_on(self.robot)
        return None

    def set_payload(self, name: str, text: str) -> str:
        """Types into a field of the payload: results without it, or with another one, are dropped."""
        setattr(self.payload, name, text)
        return self._drop_results("its payload is another one")

    @property
    def meshes(self) -> Path | None:
        """Prepared meshes of an uploaded robot; None: its files are not from an upload."""
        folder = self.robot.description.folder
        if folder is None:
            return None
        if self._folder is not None and folder.is_relative_to(self._folder):
            return self._meshes.get(folder, folder / "gone")
        return None

    @property
    def folders_in_use(self) -> set[Path]:
        """Of uploads."""
        return {path.parent for path in (self.meshes,) if path is not None}

    # --- pose ----------------------------------------------------------------------------------------------------

    def jog(self, slider: int, value: float) -> str:
        """Moves one joint; joints with several velocities, along one of them (see coordinates.py).

        Where loops are closed, passive joints follow. Returns a note if the joint stops at a limit instead, or where
        the loops reach no further.
        """
        if not 0 <= slider < self.robot.model.tangent or not np.isfinite(value):
            raise InputError(f"slider {slider + 1}: expected a number")
        if not movable(self.robot)[slider]:
            raise InputError(f"{self._slider_name(slider)} is passive: it follows the driven joints")
        low, high = self.robot.limits[slider]
        kept = float(np.clip(value, low, high))
        if is_closed(self.robot):
            self.q, why = towards(self.robot, self.q, slider, kept)
            if why:
                return f"{self._slider_name(slider)} can go no further: {why}"
        else:
            self.q = slid(self.robot, self.q, slider, kept)
        if kept == value:
            return ""
        unit = "m" if self.robot.model.located[slider].joint.kind == "prismatic" else "rad"
        return f"{self._slider_name(slider)} stops at its limit, {self.angles.brief(kept, unit)}"

    def _slider_name(self, slider: int) -> str:
        return self.robot.model.located[slider].joint.label

    @property
    def can_sag(self) -> bool:
        """Whether elastic coordinates can be brought to rest: links bend or gears give, without loops or wheels."""
        return self.robot.model.gives and not self.robot.model.loops and not self.robot.model.contacts

    def sag(self) -> None:
        """Joints stay, and what bends or gives goes to where it rests under its weight."""
        self.check_right()
        self.q = self.robot.sag(self.q)

    def reset(self) -> None:
        """Back to the initial pose."""
        self.q = self.robot.initial.copy()

    @property
    def regularity(self) -> float | None:
        """How far the pose is from a singular one, 0 to 1 (usual); None if no loops are closed."""
        if not is_closed(self.robot) or not self.robot.model.rows:
            return None
        return singular_share(self.robot, self.q)

    @property
    def tip_can_jog(self) -> bool:
        """Whether the end effector can be jogged by inverse kinematics: see `reaching.unsolved`."""
        if self.robot.model.end_effector is None or self.open_loop or self.robot.model.gives:
            return False
        return is_closed(self.robot) or self.robot.nq == self.robot.dof

    def jog_tip(self, axis: int, step: float) -> None:
        """Moves the end effector along (0 to 2) or about (3 to 5) a world axis, by inverse kinematics.

        Robots with few joints cannot keep the other five coordinates: then only the position is kept, or what can be.
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
        reasons: list[str] = []
        for limits in (True, False):
            for mask in masks:
                found = self.robot.inverse_kinematics(
                    wanted, start=self.q, mask=mask, limits=limits, tolerance=1e-8, count=1, tries=3
                )
                near = [s.q for s in found if self._is_near(s.q, step)]
                if near and limits:
                    self.q = near[0]
                    return
                if near:  # without limits
                    beyond = np.flatnonzero(position_range(self.robot).beyond(near[0][None])[0])
                    names = ", ".join(self.robot.coordinate_names[k] for k in beyond)
                    raise InputError(f"the end effector cannot move there within the limits of {names}")
                reasons.append(found.reason)
        raise InputError(f"the end effector cannot move there: {reasons[0] or 'only by a jump of the joints'}")

    def _is_near(self, q: Array, step: float) -> bool:
        return bool(np.abs(self.robot.difference(self.q, q)).max() < max(1.0, 20 * abs(step)))

    def show_time(self, t: float) -> None:
        """The pose of the current motion at a time."""
        found = self.played
        if found is not None:
            self.q = found.q[instant(found.t, t)].copy()

    # --- kinematics ----------------------------------------------------------------------------------------------

    def forget_reached(self) -> None:
        """The solutions are no longer those of the pose that is typed."""
        if self.search is not None:
            self.search.cancel()
        self.reached, self.search = None, None

    def forget_cloud(self) -> None:
        if self.sampling is not None:
            self.sampling.cancel()
        self.cloud, self.sampling = None, None

    def reach_order(self) -> ReachOrder:
        """Arguments of `reaching.reach`."""
        self.check_right()
        self.check_closed()
        return self.pose.order(self.robot, self.q)

    def cloud_order(self) -> CloudOrder:
        """Arguments of `reaching.cloud`."""
        self.check_right()
        self.check_closed()
        return CloudOrder(self.robot.description, self.pose.frame)

    def drag(self, place: Array) -> str:
        """Moves the frame of the kinematics panel to a place, or towards it; then the text says so."""
        self.check_right()
        self.check_closed()
        if why := unsolved(self.robot):
            raise InputError(why)
        if not np.isfinite(place).all():
            raise InputError("drag: expected three numbers")
        self.q, said = drawn_to(self.robot, self.q, self.pose.frame, place)
        return said

    def go_to(self, solution: int) -> None:
        """Takes one of the solutions as the pose."""
        if self.reached is None or not 0 <= solution < len(self.reached.found):
            raise InputError("solution: the list has changed; choose again")
        self.q = self.reached.found.solutions[solution].copy()

    def go_to_point(self, at: int) -> None:
        """Takes the joint values of a taught point as the pose."""
        own = guided(self.robot)
        values = np.array(self.motion.taught.values(at, own.names(self.robot), per_joint))
        self.q = Joints(self.robot, "point").configuration(values) if own.way == "joints" else values

    # --- motions -------------------------------------------------------------------------------------------------

    def choose(self, tab: Tab) -> None:
        if self.tab in MOTIONS:
            self.before = self.tab
        self.tab = tab

    def open_exercise(self, name: str) -> str:
        """As a link asks for; returns what is wrong with it. Without a name, nothing."""
        if not name:
            return ""
        try:
            self.lessons.choose(name)
        except RedynError as error:
            return str(error)
        self.choose("exercises")
        return ""

    @property
    def playing(self) -> Tab:
        """The tab whose motion is played: the open one, or the last one that had a motion."""
        return self.tab if self.tab in MOTIONS else self.before

    @property
    def played(self) -> Run | Inverse | None:
        """The motion being played, with t, q and qd."""
        if self.playing == "forward":
            return None if self.forward is None else self.forward.runs[0].run
        return self.inverse

    def rates_at(self, t: float) -> Array:
        """Joint rates of the motion being played; zero if there is none."""
        found = self.played
        return np.zeros(self.robot.dof) if found is None else found.qd[instant(found.t, t)]

    # --- dynamics ------------------------------------------------------------------------------------------------

    def inverse_order(self) -> tuple[Robot, MotionPlan, Path | None, Payload | None]:
        """Arguments of `work.inverse`."""
        self.check_right()
        self.check_closed()
        if self.no_motion:
            raise InputError(self.no_motion)
        driven = len(self.robot.driven_rates)
        if is_closed(self.robot) and driven < self.robot.model.mobility:
            raise InputError(
                f"mobility {self.robot.model.mobility}, but {counted(driven, 'driven rate')}: tick more joints in the "
                "column 'driven' of the first table"
            )
        return self.robot, self.motion.plan(self.robot), self.meshes, self.payload.plan()

    def run_inverse(self) -> Inverse:
        self.inverse = inverse(*self.inverse_order())
        return self.inverse

    def forward_order(self) -> Order:
        """Arguments of `work.forward`."""
        self.check_right()
        self.check_closed()
        plan = replace(self.run.plan(self.robot, self.motion), payload=self.payload.plan())
        if plan.drive == "inverse":
            found = self.inverse or self.run_inverse()
            table = Samples("inverse dynamics", found.t, found.tau[:, entries(self.robot).tau])
            plan = replace(plan, table=table, motion=found.plan)
        robots, methods, meshes = [self.robot.description], [plan.method], [self.meshes]
        kind, _, name = self.run.compare.partition(":")
        if kind == "method":
            if name == plan.method or name not in METHODS:
                raise InputError(f"compare: choose another integrator than {plan.method} itself")
            methods.append(name)
        elif kind == "robot":
            if name not in library():  # `read` would open a file of this machine
                raise InputError("compare: choose a robot of the library")
            robots.append(read(name))
            meshes.append(None)
        elif self.run.compare == RIGID and self.robot.model.gives:
            if planned(self.robot).nq != planned(self.robot).dof and plan.drive in ("pd", "computed"):
                raise InputError(
                    f"compare: {self.robot.name} has a floating base, and without flexibility it cannot be controlled; "
                    "compare with other torques"
                )
            rigid = planned(self.robot).description
            robots.append(rigid.model_copy(update={"name": f"{rigid.name}, rigid"}))
            meshes.append(self.meshes)
        return Order(plan, robots, methods, meshes)

    def sized(self, source: Tab) -> Sized | None:
        """What the present result of a tab asks of the joints and of their motors; None without a result."""
        found = self.inverse if source == "inverse" else self.forward and self.forward.runs[0].run
        if found is None:
            return None
        return sized(found.robot, self.motors, found.t, found.qd, found.tau, found.qdd)

    def drive_with_torques(self) -> None:
        """Sets up the forward dynamics: from the start of the present motion, driven by its torques."""
        self.check_right()
        self.check_closed()
        found = self.inverse
        if found is None:
            raise InputError("there are no torques yet: run the inverse dynamics first")
        self.run.drive = "inverse"
        self.run.begin_at(self.robot, found.q[0], found.qd[0], float(found.t[-1]))

    def matrices(self) -> dict[str, Array]:
        """Mass matrix, Coriolis matrix and gravity at the current state; of a robot with loops, those of its tree."""
        robot, q, rates = self.robot.tree, self.q, self.rates_at(self.time)
        if self.robot.model.contacts:
            rates = self.robot.rates(q, rates)
        return {
            "mass": robot.mass_matrix(q),
            "coriolis": robot.coriolis_matrix(q, rates),
            "gravity": robot.gravity_torque(q)[:, None],
        }


def _names(robot: Robot) -> tuple[list[str], list[str]]:
    """What users enter."""
    own = entries(robot)
    return own.names(robot) + guided(robot).names(robot), own.torque_names(robot)


def _fits(robot: Robot, q: Array) -> bool:
    """Whether a pose can be shown: its loops are closed, if they can be."""
    return not is_closed(robot) or float(np.abs(robot.loop_error(q)).max(initial=0.0)) < CLOSED


def mesh_files(description: RobotDescription) -> set[str]:
    """Mesh files of a robot's shapes."""
    shapes = (shape for link in description.links for shape in (*link.visual, *link.collision))
    return {shape.file for shape in shapes if shape.file is not None}


def instant(times: Array, t: float) -> int:
    """Index of the sample at a time, or the next one."""
    return int(np.clip(np.searchsorted(times, t), 0, len(times) - 1))
