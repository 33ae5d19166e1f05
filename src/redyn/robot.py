"""The robot that users hold. Every method checks its arguments and runs one recursion."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.algebra import Scalar
from redyn.arithmetic import Arrays
from redyn.description import RobotDescription, Source, check_physical, random_chain, read, to_yaml
from redyn.dynamics import convective, energy, forward, friction, inertia, inverse, kinematics
from redyn.dynamics.denoc import Denoc
from redyn.errors import InputError, SingularError
from redyn.evaluate import Array, Call, checked
from redyn.model import Frame, Model, build

LinkName = str | int | None
External = Mapping[str | int, ArrayLike]

# Beyond this acceleration forward dynamics looks whether some joint moves no inertia.
SUSPICIOUS_ACCELERATION = 1e10
# A joint's inertia below this share of the body that it moves is rounding.
ZERO_INERTIA = 1e-13


class LinkMotions(NamedTuple):
    """Per moving link, in world axes: see `Robot.link_motion`."""

    pose: Array
    twist: Array
    twist_rate: Array
    force: Array
    moment: Array


class Robot:
    """A robot and its dynamics. Angles in radians, SI units; every array is one state or a batch of N.

    >>> import redyn
    >>> robot = redyn.load("three-link")
    >>> robot.inverse_dynamics([0, 0, 0], [0, 0, 0], [0, 0, 0]).round(5)
    array([4.34583, 1.54998, 0.32373])
    """

    def __init__(self, description: RobotDescription, *, friction: bool = True, exact: bool = False) -> None:
        self.description = description
        self.model: Model = build(description, friction=friction, exact=exact)
        self._options = (friction, exact)

    def __repr__(self) -> str:
        return f"<Robot {self.name!r}: {self.dof} joints, {self.total_mass:.4g} kg>"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.description, *self._options)

    @property
    def name(self) -> str:
        return self.description.name

    @property
    def dof(self) -> int:
        return self.model.dof

    @property
    def nq(self) -> int:
        return self.model.dof

    @property
    def joint_names(self) -> list[str]:
        """The moving joints, in the order of q."""
        return [link.joint.name for link in self.model.links]

    @property
    def link_names(self) -> list[str]:
        """The moving bodies."""
        return [link.name for link in self.model.links]

    @property
    def frame_names(self) -> list[str]:
        """Every frame that can be asked for by name, fixed links included."""
        return list(self.model.frames)

    @property
    def gravity(self) -> Array:
        return np.array(self.description.gravity)

    @property
    def total_mass(self) -> float:
        """Of all links, fixed ones included."""
        return sum(link.mass or 0.0 for link in self.description.links)

    @cached_property
    def initial(self) -> Array:
        """The joint values that the file starts from (zero where it does not say)."""
        values = {link.name: link.joint.initial or 0.0 for link in self.description.links}
        return np.array([values[name] for name in self.link_names])

    @cached_property
    def limits(self) -> Array:
        """Lower and upper limit of every joint, (dof, 2); infinite where the file has none."""
        values = {link.name: link.joint.limits or (-np.inf, np.inf) for link in self.description.links}
        return np.array([values[name] for name in self.link_names])

    def neutral(self) -> Array:
        """The configuration with every joint at zero."""
        return np.zeros(self.nq)

    def random(self, rng: np.random.Generator | int | None = None) -> Array:
        """A configuration within the limits; joints without limits turn within +-pi or slide within +-1 m."""
        turning = np.array([link.joint.kind == "revolute" for link in self.model.links])
        widest = np.where(turning, np.pi, 1.0)
        lower, upper = np.where(np.isfinite(self.limits.T), self.limits.T, np.array([-widest, widest]))
        generator = np.random.default_rng(rng)
        return lower + (upper - lower) * generator.random(self.nq)

    def to_yaml(self, path: str | Path | None = None) -> str:
        """The robot file; `redyn.load` reads it back as the same robot. Written to `path` if one is given."""
        text = to_yaml(self.description)
        if path is not None:
            Path(path).write_text(text, "utf-8")
        return text

    # --- motion -----------------------------------------------------------------------------------------------

    def forward_kinematics(self, q: ArrayLike, link: LinkName = None) -> Array:
        """The 4x4 pose of a frame in the world: (4, 4) or (N, 4, 4)."""
        call, frame = self._call().joints(q=q), self.frame(link)
        return call.matrix(kinematics.forward_kinematics(call.model, call.arith, *call.state, frame=frame))

    def jacobian(self, q: ArrayLike, link: LinkName = None) -> Array:
        """6 x dof, angular rows first, world axes, at the origin of the frame."""
        call, frame = self._call().joints(q=q), self.frame(link)
        return call.matrix(kinematics.jacobian(call.model, call.arith, *call.state, frame=frame))

    def jacobian_rate(self, q: ArrayLike, qd: ArrayLike, link: LinkName = None) -> Array:
        """The time derivative of `jacobian` along the motion qd."""
        call, frame = self._call().joints(q=q, qd=qd), self.frame(link)
        return call.matrix(kinematics.jacobian_rate(call.model, call.arith, *call.state, frame=frame))

    def link_motion(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> LinkMotions:
        """How every link moves, and the inertia force and moment of its mass centre (D_i and Delta_i of Newton-Euler).

        Arrays of shape (L, 4, 4), (L, 6), (L, 6), (L, 3), (L, 3), with N in front for a batch; world axes, twists at
        the origin of the link frame, gravity apart.
        """
        call = self._call().joints(q=q, qd=qd, qdd=qdd)
        motions = kinematics.link_motion(call.model, call.arith, *call.state)
        pose = call.matrix([row for m in motions for row in _pose_rows(m)])
        return LinkMotions(
            pose.reshape(*pose.shape[:-2], len(motions), 4, 4),
            call.matrix([m.twist.components() for m in motions]),
            call.matrix([m.twist_rate.components() for m in motions]),
            call.matrix([m.force.components() for m in motions]),
            call.matrix([m.moment.components() for m in motions]),
        )

    def com(self, q: ArrayLike) -> Array:
        """The mass centre of all moving links, in the world."""
        call = self._call().joints(q=q)
        if sum(float(link.mass or 0.0) for link in self.description.links if link.name in self._moving_parts) == 0.0:
            raise InputError(f"com: {self.name} has no mass")
        return call.vector(energy.com(call.model, call.arith, *call.state).components())

    def momentum(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Angular momentum about the world's origin, then linear momentum, in world axes."""
        call = self._call().joints(q=q, qd=qd)
        return call.vector(energy.momentum(call.model, call.arith, *call.state).components())

    # --- dynamics ---------------------------------------------------------------------------------------------

    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        external: External | None = None,
        payload: ArrayLike | None = None,
        gravity: ArrayLike | None = None,
    ) -> Array:
        """The torques (forces, for prismatic joints) that a motion needs: Eqs. (9.32)-(9.35)."""
        call = self._call().joints(q=q, qd=qd, qdd=qdd).world(gravity, external, payload)
        return call.vector(
            inverse.inverse_dynamics(call.model, call.arith, *call.state, gravity=call.gravity, external=call.external)
        )

    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        external: External | None = None,
        payload: ArrayLike | None = None,
        gravity: ArrayLike | None = None,
        method: Literal["recursive", "cholesky"] = "recursive",
    ) -> Array:
        """The joint accelerations, order n by Eqs. (9.38)-(9.41); `method="cholesky"` is the order n^3 way."""
        if method not in ("recursive", "cholesky"):
            raise InputError(f"method: expected 'recursive' or 'cholesky', got {method!r}")
        call = self._call().joints(q=q, qd=qd, tau=tau).world(gravity, external, payload)
        recursion = forward.forward_dynamics if method == "recursive" else inertia.cholesky_forward_dynamics
        return self._solved(
            call,
            q,
            lambda: recursion(call.model, call.arith, *call.state, gravity=call.gravity, external=call.external),
        )

    def solve(self, q: ArrayLike, phi: ArrayLike) -> Array:
        """x with mass_matrix(q) x = phi, order n: Eqs. (9.38)-(9.41) alone."""
        call = self._call().joints(q=q, phi=phi)
        return self._solved(call, q, lambda: forward.solve(call.model, call.arith, *call.state))

    def mass_matrix(self, q: ArrayLike) -> Array:
        """The generalized inertia matrix (9.15), armature included."""
        call = self._call().joints(q=q)
        return call.matrix(inertia.mass_matrix(call.model, call.arith, *call.state))

    def inverse_mass_matrix(self, q: ArrayLike) -> Array:
        call = self._call().joints(q=q)
        return self._solved(call, q, lambda: forward.inverse_mass_matrix(call.model, call.arith, *call.state))

    def udu(self, q: ArrayLike) -> tuple[Array, Array]:
        """U (unit upper triangular) and the diagonal D with mass_matrix = U diag(D) U^T."""
        call = self._call().joints(q=q)
        self._require_inertia(q)
        U, D = forward.udu(call.model, call.arith, *call.state)
        return call.matrix(U), call.vector(D)

    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike, form: convective.Form = "mci") -> Array:
        """C with C qd = coriolis_vector: the book's MCI (9.16), or `form="christoffel"`."""
        if form not in ("mci", "christoffel"):
            raise InputError(f"form: expected 'mci' or 'christoffel', got {form!r}")
        call = self._call().joints(q=q, qd=qd)
        return call.matrix(convective.coriolis_matrix(call.model, call.arith, *call.state, form=form))

    def coriolis_vector(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """The vector of convective inertia terms h (9.19)."""
        call = self._call().joints(q=q, qd=qd)
        return call.vector(inverse.coriolis_vector(call.model, call.arith, *call.state))

    def gravity_torque(self, q: ArrayLike, gravity: ArrayLike | None = None) -> Array:
        """What the actuators must supply to hold still."""
        call = self._call().joints(q=q).world(gravity)
        return call.vector(inverse.gravity_torque(call.model, call.arith, *call.state, gravity=call.gravity))

    def friction_torque(self, qd: ArrayLike) -> Array:
        """What the actuators must supply to overcome friction."""
        call = self._call().joints(qd=qd)
        return call.vector(friction.friction_torque(call.model, call.arith, *call.state))

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Array:
        call = self._call().joints(q=q, qd=qd)
        return call.scalar(energy.kinetic_energy(call.model, call.arith, *call.state))

    def potential_energy(self, q: ArrayLike, gravity: ArrayLike | None = None) -> Array:
        """Zero with the mass centre at the world's origin."""
        call = self._call().joints(q=q).world(gravity)
        return call.scalar(energy.potential_energy(call.model, call.arith, *call.state, gravity=call.gravity))

    def joint_wrenches(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        external: External | None = None,
        gravity: ArrayLike | None = None,
    ) -> Array:
        """Moment and force of each parent on its child, (dof, 6): axes of the child's link frame, at the joint."""
        call = self._call().joints(q=q, qd=qd, qdd=qdd).world(gravity, external)
        wrenches = inverse.user_joint_wrenches(
            call.model, call.arith, *call.state, gravity=call.gravity, external=call.external
        )
        return call.matrix([w.components() for w in wrenches])

    def denoc(
        self,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        gravity: ArrayLike | None = None,
    ) -> Denoc:
        """The book's dense quantities at one state, in world axes and at the mass centres. `print` it."""
        still = np.zeros(self.dof)
        values = {"q": q, "qd": still if qd is None else qd, "qdd": still if qdd is None else qdd}
        call = self._call().joints(**values).world(gravity)
        if call.size is not None:
            raise InputError("denoc shows one state; give q of shape (dof,), not a batch")
        q_, qd_, qdd_ = (np.array(column, dtype=np.float64) for column in call.state)
        pull = self.gravity if gravity is None else checked("gravity", gravity, 3, "an acceleration")
        return Denoc(self.model, q_, qd_, qdd_, pull)

    # --- helpers ----------------------------------------------------------------------------------------------

    def frame(self, link: LinkName = None) -> Frame:
        """The frame behind a name, a link index (0: the world) or None, the end effector."""
        frames = self.model.frames
        if isinstance(link, bool) or not isinstance(link, str | int | np.integer | None):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"link: expected a frame's name or a link's index, got {link!r}")
        if link is None:
            if self.model.end_effector is None:
                raise InputError(
                    f"{self.name} has several tips: name a frame with link=, or give end_effector in its file"
                )
            return frames[self.model.end_effector]
        if isinstance(link, str):
            if link not in frames:
                close = difflib.get_close_matches(link, self.frame_names, 1)
                hint = f"did you mean {close[0]!r}?" if close else f"the frames are {', '.join(self.frame_names[:12])}"
                raise InputError(f"link: {self.name} has no frame {link!r}; {hint}")
            return frames[link]
        if not 1 <= link <= self.dof:
            raise InputError(f"link: expected an index from 1 to {self.dof}, got {link}")
        return frames[self.model.links[link - 1].name]

    @cached_property
    def _moving_parts(self) -> set[str]:
        return {name for name, frame in self.model.frames.items() if frame.link > 0}

    def _call(self) -> Call:
        return Call(self.model, self.frame)

    def _solved(self, call: Call, q: ArrayLike, recursion: Callable[[], list[Any]]) -> Array:
        """Run a recursion that divides by joint inertias; say which joint is to blame if one is zero."""
        try:
            with np.errstate(all="ignore"):
                values = recursion()
            result = call.matrix(values) if isinstance(values[0], list) else call.vector(values)
            suspicious = not bool((np.abs(result) < SUSPICIOUS_ACCELERATION).all())
        except (ZeroDivisionError, ValueError):
            suspicious, result = True, np.array(np.nan)
        if suspicious:
            self._require_inertia(q)
            if not np.isfinite(result).all():
                raise SingularError(f"{self.name}: the mass matrix is singular or not positive definite here")
        return result

    def _require_inertia(self, q: ArrayLike) -> None:
        columns: list[NDArray[np.float64]] = list(np.atleast_2d(np.asarray(q, dtype=np.float64)).T)
        with np.errstate(all="ignore"):
            inertias = forward.joint_inertias(self.model.over(Arrays()), Arrays(), columns)  # pyright: ignore[reportArgumentType]
        for link, (m_hat, size) in reversed(list(zip(self.model.links, inertias, strict=True))):
            if np.any(~(np.abs(np.asarray(m_hat)) > ZERO_INERTIA * np.abs(np.asarray(size)))):
                raise SingularError(
                    f"{self.name}: joint {link.joint.name!r} moves no inertia (the articulated inertia about its axis "
                    f"is zero), so its acceleration is not determined; give link {link.name!r} inertia about that "
                    "axis, or the joint an armature"
                )


def _pose_rows(m: kinematics.LinkMotion) -> list[tuple[Scalar, ...]]:
    R, o = m.pose.R, m.pose.o
    return [(*R.x.components(), o.x), (*R.y.components(), o.y), (*R.z.components(), o.z), (0.0, 0.0, 0.0, 1.0)]


def _rebuild(description: RobotDescription, with_friction: bool, exact: bool) -> Robot:
    return Robot(description, friction=with_friction, exact=exact)


def load(source: Source, *, friction: bool = True, exact: bool = False, allow_unphysical: bool = False) -> Robot:
    """A robot from the library, a .yaml file or a dict.

    `friction=False` leaves friction out of every torque (armature stays). `exact=True` keeps rotations as the file
    has them; otherwise entries within 1e-8 of 0 and +-1 are taken for those, which moves results by some 1e-9 at
    most and makes right angles cost nothing.

    >>> load("puma")
    <Robot 'puma': 6 joints, 37.5 kg>
    """
    description = read(source)
    if not allow_unphysical and description.unphysical is None:
        check_physical(description)
    return Robot(description, friction=friction, exact=exact)


def chain(n: int, seed: int = 0) -> Robot:
    """A random serial robot of n revolute joints in standard DH, with no convenient zeros.

    >>> chain(4, seed=1).dof
    4
    """
    return Robot(random_chain(n, seed))
