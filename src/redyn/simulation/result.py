"""What a simulation leaves: arrays over time, energies, plots and files."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.errors import MissingExtraError, RedynError
from redyn.evaluate.ground import Ground
from redyn.files import write_csv
from redyn.robot import Robot
from redyn.simulation import forces
from redyn.simulation.pushes import Push
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.kinematics import Clearance
    from redyn.report.plots import Entries
    from redyn.report.scene import Carried, Pushed
    from redyn.report.standing import Standing
    from redyn.simulation.sizing import Motors, Sizing

Array = NDArray[np.float64]

STORED = ("kinetic", "potential")
TOUCHING = 1e-9  # N: less is no contact
INTERRUPTED = "interrupted"  # how the ending of a run begins that Ctrl-C ended


class Conditions(NamedTuple):
    """What held for the whole run: gravity, the payload and the ground; and the pushes."""

    gravity: Array | None  # None: the robot's own
    payload: Array | None
    pushes: tuple[Push, ...] = ()
    ground: Ground | None = None


class Energy(NamedTuple):
    """Energies over time, and the work that each force element has done on the robot since the start, in joules."""

    kinetic: Array
    potential: Array  # of gravity and of the joint springs
    actuators: Array
    friction: Array  # negative where it brakes
    external: Array
    stops: Array
    ground: Array  # elastic energy that it stores included

    @property
    def total(self) -> Array:
        """Kinetic and potential."""
        return self.kinetic + self.potential

    @property
    def balance(self) -> Array:
        """What the total gained since the first sample beyond the work done: the error of the simulation."""
        kept = self.total - sum(self[len(STORED) :])
        return kept - kept[0]


# A force element does work, which has a field of its own behind the energies that are stored.
if Energy._fields != STORED + tuple(element.name for element in forces.ELEMENTS):
    raise TypeError("the fields of Energy are kinetic, potential and the names of the force elements, in their order")


class Contact(NamedTuple):
    """Two links that overlap, from one sample to another."""

    links: tuple[str, str]
    start: float
    stop: float


class GroundContacts(NamedTuple):
    """What touches the ground, at T samples: K contacts, in world axes."""

    names: list[str]
    points: Array  # (T, K, 3), where each touches the ground, or would
    forces: Array  # (T, K, 3), of the ground on the robot
    normals: Array  # (T, K, 3)
    gaps: Array  # (T, K), negative where it is in the ground
    slip: Array  # (T, K), the tangential speed there
    friction: float

    @property
    def normal_forces(self) -> Array:
        """(T, K)"""
        return (self.forces * self.normals).sum(axis=-1)

    @property
    def centre_of_pressure(self) -> Array:
        """(T, 3): the mean of the points, weighted by their normal forces; NaN in flight."""
        weights = self.normal_forces
        total = weights.sum(axis=1, keepdims=True)
        with np.errstate(all="ignore"):
            return np.where(total > TOUCHING, np.einsum("tk,tkc->tc", weights, self.points) / total, np.nan)


@dataclass(frozen=True, eq=False)
class Run:
    """A simulated motion: N instants, a row each."""

    robot: Robot
    t: Array
    q: Array = field(repr=False)
    qd: Array = field(repr=False)
    qdd: Array = field(repr=False)
    tau: Array = field(repr=False)  # of the actuators
    works: Array = field(repr=False)  # of the force elements, in their order
    wrenches: dict[str, Array] = field(repr=False)  # external ones, by frame; those of pushes as push1, push2 ...
    conditions: Conditions = field(repr=False)
    method: str
    steps: int
    rejected: int
    evaluations: int
    acting: Robot = field(repr=False)  # with the contacts that the run gave it, if it gave some
    ending: str = ""  # why it ended early; empty if it did not
    event: int | None = None  # the number of the event that ended it

    def __repr__(self) -> str:
        end = f", {self.ending}" if self.ending else ""
        how = f"{counted(len(self.t), 'sample')}, {self.method}, {counted(self.steps, 'step')}{end}"
        return f"<Run of {self.robot.name}: {self.t[-1]:g} s, {how}>"

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.ending.startswith(INTERRUPTED)

    @cached_property
    def path(self) -> Array:
        """The end effector's origin in the world, (N, 3)."""
        return self.robot.forward_kinematics(self.q)[:, :3, 3]

    @cached_property
    def loop_error(self) -> Array:
        """How far the loops are open at every sample, row by row: (N, rows), see `Robot.loop_error`."""
        return self.robot.loop_error(self.q)

    @cached_property
    def energy(self) -> Energy:
        kinetic = self.robot.kinetic_energy(self.q, self.qd)
        potential = self.robot.potential_energy(self.q, self.conditions.gravity)
        if self.conditions.payload is not None:
            more = self._payload_energies(self.conditions.payload)
            kinetic, potential = kinetic + more[0], potential + more[1]
        return Energy(kinetic, potential, *self.works.T)

    def _payload_energies(self, payload: Array) -> tuple[Array, Array]:
        pose = self.robot.forward_kinematics(self.q)
        twist = np.einsum("kij,kj->ki", self.robot.jacobian(self.q), self.qd)
        R, p = pose[:, :3, :3], pose[:, :3, 3]
        m, first = payload[0], payload[1:4]
        xx, xy, yy, xz, yz, zz = payload[4:]
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        angular, linear = (np.einsum("kji,kj->ki", R, part) for part in (twist[:, :3], twist[:, 3:]))
        turning = np.einsum("ki,ij,kj->k", angular, inertia, angular)
        mixed = (linear * np.cross(angular, first)).sum(axis=1)
        kinetic = (m * (linear**2).sum(axis=1) + turning) / 2 + mixed
        gravity = self.robot.gravity if self.conditions.gravity is None else self.conditions.gravity
        return kinetic, -(m * p + R @ first) @ gravity

    @cached_property
    def clearance(self) -> Clearance:
        """The room between links that are not neighbours, at every sample; negative where they overlap."""
        from redyn.kinematics import clearance

        return clearance(self.robot, self.q)

    @cached_property
    def contacts(self) -> list[Contact]:
        """When and which links that are not neighbours touch, by their start. Links are capsules: see `clearance`."""
        found: list[Contact] = []
        for links, touches in zip(self.clearance.pairs, self.clearance.touching.T, strict=True):
            edges = np.flatnonzero(np.diff(np.concatenate([[False], touches, [False]])))
            found += [Contact(links, float(self.t[a]), float(self.t[b - 1])) for a, b in edges.reshape(-1, 2)]
        return sorted(found, key=lambda contact: contact.start)

    @property
    def ground(self) -> Ground | None:
        """What the robot stood on, with all its numbers; None if there was no ground."""
        return self.conditions.ground

    @cached_property
    def ground_contacts(self) -> GroundContacts | None:
        """Points, forces and slip of everything that may touch the ground; None if there was no ground."""
        ground = self.ground
        if ground is None:
            return None
        found = self.acting.contact_states(self.q, self.qd, ground, check=False)
        return GroundContacts(
            list(ground.names), found.points, found.forces, found.normals, found.gaps, found.slip, ground.friction
        )

    def size(self, motors: Motors) -> Sizing:
        """Compare motors with what the run needs: one for all joints, one per joint, or by name. See `redyn.sizing`."""
        from redyn.simulation.sizing import size

        return size(self.robot, motors, self.t, self.qd, self.tau, self.qdd)

    # --- files and pictures -----------------------------------------------------------------------------------

    def _columns(self) -> dict[str, Array]:
        from redyn.report.standing import columns as contact_columns

        columns = {"t": self.t}
        q_names, v_names = self.robot.coordinate_names, self.robot.velocity_names
        columns |= {f"q_{name}": self.q[:, i] for i, name in enumerate(q_names)}
        for kind, names, values in (
            ("qd", v_names, self.qd),
            ("qdd", v_names, self.qdd),
            ("tau", self.robot.torque_names, self.tau),
        ):
            columns |= {f"{kind}_{name}": values[:, i] for i, name in enumerate(names)}
        if self.robot.model.end_effector is not None:
            columns |= {f"path_{axis}": self.path[:, i] for i, axis in enumerate("xyz")}
        columns |= {f"energy_{name}": values for name, values in self.energy._asdict().items()}
        standing = self.standing
        return columns if standing is None else columns | contact_columns(standing.contacts)

    def save(self, path: str | Path, force: bool = False) -> Path:
        """Writes the whole run to one file, such as `fall.npz`: arrays to the last bit, the robot, what acted on it.

        `redyn.Run.load` reads it back, without pickle: a file from a stranger runs no code. `numpy.load` reads its
        arrays alone. A file there that is no saved run is replaced only with `force`. Files of meshes are not part of
        it; keep it beside the robot file if pictures should have them.

        >>> import tempfile, pathlib, redyn
        >>> run = redyn.simulate(redyn.load("two-link"), [0.5, 0.0], [0, 0], duration=0.1)
        >>> path = run.save(pathlib.Path(tempfile.mkdtemp()) / "fall.npz")
        >>> redyn.Run.load(path)
        <Run of two-link: 0.1 s, 11 samples, rkf45, 13 steps>
        """
        from redyn.simulation.saving import save

        return save(self, path, force)

    @staticmethod
    def load(path: str | Path) -> Run:
        """The run that `save` wrote to a file."""
        from redyn.simulation.saving import load

        return load(path)

    def to_csv(self, path: str | Path, force: bool = False) -> Path:
        """A row per sample: t, q, qd, qdd, tau of every joint, the end effector's path, energies and works, contacts.

        A file there that is no CSV table is replaced only with `force`; likewise in `plot` and `html`.
        """
        columns = self._columns()
        return write_csv(path, list(columns), np.column_stack(list(columns.values())).tolist(), force)

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with the columns of `to_csv`, indexed by t."""
        try:
            import pandas  # pyright: ignore[reportMissingTypeStubs, reportMissingImports]
        except ImportError:
            raise RedynError("to_dataframe needs pandas: pip install pandas") from None
        return pandas.DataFrame(self._columns()).set_index("t")  # pyright: ignore

    def plot(self, path: str | Path | None = None, force: bool = False) -> Any:
        """A Matplotlib figure: the motion, joint values and rates, torques and energies; saved to `path` if given."""
        from redyn.report.figures import run_figure

        return run_figure(self.robot, self.t, self.q, self._plots(), self._title(), path, force, self.standing)

    def html(self, path: str | Path, force: bool = False) -> Path:
        """One self-contained page: the robot in 3D, a player, and plots that follow it. Opens without a network."""
        from redyn.report.html import write_html

        return write_html(
            path,
            self.robot,
            self.t,
            self.q,
            self._plots(),
            title=self._title(),
            notes=self._notes(),
            touching=self.clearance,
            force=force,
            payload=self._carried(),
            pushes=self._pushed(),
            rates=self.qd,
            standing=self.standing,
        )

    @property
    def standing(self) -> Standing | None:
        """The ground and what touches it, for pictures."""
        from redyn.report.standing import Standing

        ground, contacts = self.ground, self.ground_contacts
        return None if ground is None or contacts is None else Standing(ground, contacts)

    def _carried(self) -> Carried | None:
        from redyn.report.scene import Carried

        ten = self.conditions.payload
        if ten is None or ten[0] <= 0:
            return None
        return Carried(self.robot.frame_name(), (ten[1:4] / ten[0]).tolist(), float(ten[0]))

    def _pushed(self) -> list[Pushed]:
        from redyn.report.scene import Pushed

        name = self.robot.frame_name
        return [Pushed(name(x.link), x.point, x.force, x.start, x.stop) for x in self.conditions.pushes]

    def viewer(self) -> str:
        """The text of a self-contained page with the robot in 3D and its player, without plots: see `redyn.show`."""
        from redyn.report.html import viewer_text

        return viewer_text(
            self.robot,
            self.t,
            self.q,
            self._title(),
            touching=self.clearance,
            payload=self._carried(),
            pushes=self._pushed(),
            rates=self.qd,
            standing=self.standing,
        )

    def _repr_html_(self) -> str | None:
        """In a notebook the run shows itself: the player, and its plots as a picture."""
        from redyn.report.notebook import frame, picture

        try:
            return frame(self.viewer()) + picture(self._repr_png_())
        except MissingExtraError:
            return None

    def _repr_png_(self) -> bytes | None:
        """Its plots."""
        import io

        try:
            figure = self.plot()
        except MissingExtraError:
            return None
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png")
        return buffer.getvalue()

    def _title(self) -> str:
        return f"{self.robot.name}: {self.t[-1]:g} s by {self.method}"

    def _notes(self) -> list[str]:
        drift = float(np.abs(self.energy.balance).max())
        exchanged = float(max(np.ptp(self.energy.kinetic), np.ptp(self.energy.potential)))
        notes = [f"{counted(self.steps, 'step')}, {self.rejected} rejected, {counted(self.evaluations, 'evaluation')}"]
        notes.append(f"energy balance within {drift:.1e} J of {exchanged:.4g} J exchanged")
        return notes + ([self.ending] if self.ending else [])

    def _plots(self) -> list[Any]:
        from redyn.report.bending import charts as bending_charts
        from redyn.report.plots import Plot, joint_entries, units
        from redyn.report.standing import charts

        robot = self.robot

        def chart(title: str, angular: str, linear: str, of: Entries, names: list[str], values: Array) -> Plot:
            own = joint_entries(robot, of)
            unit = units(robot, angular, linear, of=of, modes=False)
            return Plot(title, unit, [names[i] for i in own], values[:, own])

        energy = self.energy._asdict()
        shown = {name: values for name, values in energy.items() if np.abs(values).max() > 0 or name == "kinetic"}
        shown["total"] = self.energy.total
        found = [
            chart("Joint values", "rad", "m", "coordinates", robot.coordinate_names, self.q),
            *bending_charts(robot, self.q),
            chart("Joint rates", "rad/s", "m/s", "velocities", robot.velocity_names, self.qd),
            chart("Torques", "Nm", "N", "actuators", robot.torque_names, self.tau),
            Plot("Energy", "J", list(shown), np.column_stack(list(shown.values()))),
        ]
        found = [plot for plot in found if plot.names]
        standing = self.standing
        return found if standing is None else [found[0], *charts(robot, standing.contacts), *found[1:]]
