"""The catalogue: every algorithm by its name. A new one needs an entry here and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from redyn.algebra import Arithmetic, Scalar
from redyn.dynamics import (
    centroidal,
    contact,
    convective,
    derivatives,
    energy,
    forward,
    inertia,
    inverse,
    kinematics,
    loops,
    operational,
    passive,
    rolling,
)
from redyn.dynamics.algorithm import (
    Algorithm,
    Columns,
    Conditions,
    Derivative,
    Divisor,
    Entry,
    Kind,
    Output,
    Outputs,
    ParameterDerivative,
    Rows,
    Solve,
    flat,
)
from redyn.dynamics.driven import driven
from redyn.dynamics.inertia import cholesky_inverse, cholesky_solve, udu_of_matrix
from redyn.dynamics.link_motion import link_motion
from redyn.dynamics.regressor import regressor
from redyn.model import Frame, Model

# --- shapes and parts of entries ----------------------------------------------------------------------------------


def _force(name: str, kind: Kind = Kind.FORCE) -> tuple[Output, ...]:
    return (Output(name, kind, lambda m: (m.dof,)),)


def _driving(name: str) -> tuple[Output, ...]:
    return (Output(name, Kind.DRIVING, lambda m: (len(m.actuators),)),)


def _square(name: str, kind: Kind = Kind.SQUARE) -> tuple[Output, ...]:
    return (Output(name, kind, lambda m: (m.dof, m.dof)),)


def _columns(name: str, kind: Kind = Kind.COLUMNS) -> tuple[Output, ...]:
    return (Output(name, kind, lambda m: (6, m.dof)),)


def _plain(name: str, *shape: int) -> tuple[Output, ...]:
    return (Output(name, Kind.PLAIN, lambda m: shape),)


def _rates(name: str) -> tuple[Output, ...]:
    return (Output(name, Kind.RATES, lambda m: (m.dof,)),)


def _per_body(name: str, *shape: int) -> Output:
    return Output(name, Kind.PLAIN, lambda m: (len(m.bodies), *shape))


def _link_motion(model: Model, arith: Arithmetic, s: Columns) -> Outputs:
    motions = link_motion(model, arith, *s)
    zero, one = arith.const(0.0), arith.const(1.0)
    poses: list[Scalar] = []
    for m in motions:
        R, o = m.pose.R, m.pose.o
        poses += [*R.x.components(), o.x, *R.y.components(), o.y, *R.z.components(), o.z, zero, zero, zero, one]
    return [
        poses,
        flat([m.twist.components() for m in motions]),
        flat([m.twist_rate.components() for m in motions]),
        flat([m.force.components() for m in motions]),
        flat([m.moment.components() for m in motions]),
    ]


def _udu(U: Rows, D: list[Scalar]) -> Outputs:
    return [flat(U), D]


def _frame(w: Conditions) -> Frame:
    assert w.frame is not None
    return w.frame


def _forces(w: Conditions) -> dict[str, Any]:
    return {"gravity": w.gravity, "external": w.external, "ground": w.ground}


def _wrenches(model: Model, arith: Arithmetic, s: Columns, w: Conditions) -> list[Scalar]:
    q, qd, qdd = s
    wrenches = inverse.user_joint_wrenches(model, arith, q, qd, qdd, **_forces(w))
    return flat([wrench.components() for wrench in wrenches])


def _acceleration(s: Solve) -> Outputs:
    return [cholesky_solve(s.arith, s.M, s.phi())]


def _acceleration_slopes(s: Solve) -> Outputs:
    """-M^-1 dtau/dq, -M^-1 dtau/dqd and M^-1."""
    by_state = s.slopes(cholesky_solve(s.arith, s.M, s.phi()))
    solved = [_solved_columns(s, slopes) for slopes in by_state]
    return [flat(rows) for rows in (*solved, cholesky_inverse(s.arith, s.M))]


def _solved_columns(s: Solve, slopes: Rows) -> Rows:
    columns = [cholesky_solve(s.arith, s.M, [-x for x in column]) for column in zip(*slopes, strict=True)]
    return [list(row) for row in zip(*columns, strict=True)]


# --- the entries --------------------------------------------------------------------------------------------------

_ALL, _NONE = frozenset({"gravity", "external", "ground", "payload"}), frozenset[str]()
_GRAVITY, _FRAME, _PUSHED = frozenset({"gravity"}), frozenset({"frame"}), frozenset({"gravity", "external", "ground"})
_q, _v, _a, _t = ("q",), ("q", "qd"), ("q", "qd", "qdd"), ("q", "qd", "tau")
_TREE: dict[str, Any] = {"closed": None}  # loops change nothing about it
_MATRIX: dict[str, Any] = {**_TREE, "divisor": Divisor.NONE, "reduced": None}  # and it divides by nothing
_PASS: dict[str, Any] = {**_MATRIX, "per_pair": 0}  # and visits each link a few times
_DRIVEN: dict[str, Any] = {**_PASS, "closed": loops.driving_torque}  # what actuators supply
_CARRIED: dict[str, Any] = {**_PASS, "closed": loops.joint_wrenches}
_DRIVEN_COLUMNS: dict[str, Any] = {**_MATRIX, "closed": loops.driving_columns}


def _algorithms() -> list[Algorithm]:
    e, f, g, i, k = energy, forward, inertia, inverse, kinematics
    c = convective.coriolis_matrix
    motion = (
        _per_body("poses", 4, 4),
        _per_body("twists", 6),
        _per_body("twist_rates", 6),
        _per_body("forces", 3),
        _per_body("moments", 3),
    )
    parameters = Output("Y", Kind.ROWS, lambda m: (len(m.actuators), 10 * len(m.bodies)))
    rates = Output("coordinate_rates", Kind.COORDINATES, lambda m: (m.nq,))
    factors = (Output("U", Kind.PLAIN, lambda m: (m.dof, m.dof)), Output("D", Kind.PLAIN, lambda m: (m.dof,)))
    whole = (Output("M_inverse", Kind.PLAIN, lambda m: (m.dof, m.dof)),)
    return [
        Algorithm(
            "inverse_dynamics",
            "inverse",
            _a,
            _driving("tau"),
            lambda m, a, s, w: [i.inverse_dynamics(m, a, *s, **_forces(w))],
            options=_ALL,
            **_DRIVEN,
            regroup=True,
        ),
        Algorithm(
            "forward_dynamics",
            "forward",
            _t,
            _rates("qdd"),
            lambda m, a, s, w: [f.forward_dynamics(m, a, *s, **_forces(w))],
            options=_ALL,
            regroup=True,
            divisor=Divisor.JOINT_INERTIAS,
            reduced=_acceleration,
            closed=loops.acceleration,
            per_pair=0,
        ),
        Algorithm(
            "forward_dynamics_cholesky",
            "",
            _t,
            _rates("qdd"),
            lambda m, a, s, w: [g.cholesky_forward_dynamics(m, a, *s, **_forces(w))],
            options=_ALL,
            regroup=True,
            divisor=Divisor.MASS_MATRIX,
            reduced=_acceleration,
            closed=loops.acceleration,
            per_pair=0,
        ),
        Algorithm(
            "solve",
            "",
            ("q", "phi"),
            _rates("x"),
            lambda m, a, s, w: [f.solve(m, a, *s)],
            options=_NONE,
            regroup=True,
            divisor=Divisor.JOINT_INERTIAS,
            reduced=lambda s: [cholesky_solve(s.arith, s.M, s.values["phi"])],
            **_TREE,
            per_pair=0,
        ),
        Algorithm(
            "mass_matrix",
            "mass",
            _q,
            _square("M"),
            lambda m, a, s, w: [flat(g.mass_matrix(m, a, *s))],
            options=_NONE,
            **_MATRIX,
            regroup=True,
            per_pair=32,
        ),
        Algorithm(
            "inverse_mass_matrix",
            "",
            _q,
            whole,
            lambda m, a, s, w: [flat(f.inverse_mass_matrix(m, a, *s))],
            options=_NONE,
            regroup=True,
            divisor=Divisor.JOINT_INERTIAS,
            reduced=lambda s: [flat(cholesky_inverse(s.arith, s.M))],
            **_TREE,
            per_pair=85,
        ),
        Algorithm(
            "udu",
            "",
            _q,
            factors,
            lambda m, a, s, w: _udu(*f.udu(m, a, *s)),
            options=_NONE,
            regroup=True,
            divisor=Divisor.JOINT_INERTIAS,
            reduced=lambda s: _udu(*udu_of_matrix(s.arith, s.M)),
            **_TREE,
            per_pair=40,
        ),
        Algorithm(
            "coriolis_matrix_mci",
            "",
            _v,
            _square("C", Kind.CONVECTIVE_SQUARE),
            lambda m, a, s, w: [flat(c(m, a, *s, form="mci"))],
            options=_NONE,
            **_MATRIX,
            regroup=False,
            per_pair=96,
        ),
        Algorithm(
            "coriolis_matrix_christoffel",
            "",
            _v,
            _square("C", Kind.CONVECTIVE_SQUARE),
            lambda m, a, s, w: [flat(c(m, a, *s, form="christoffel"))],
            options=_NONE,
            **_MATRIX,
            regroup=True,
            per_pair=96,
        ),
        Algorithm(
            "coriolis_vector",
            "coriolis",
            _v,
            _force("h", Kind.CONVECTIVE_FORCE),
            lambda m, a, s, w: [i.coriolis_vector(m, a, *s)],
            options=_NONE,
            **_PASS,
            regroup=True,
        ),
        Algorithm(
            "gravity_torque",
            "gravity",
            _q,
            _driving("tau"),
            lambda m, a, s, w: [i.gravity_torque(m, a, *s, gravity=w.gravity)],
            options=_GRAVITY,
            **_DRIVEN,
            regroup=True,
        ),
        Algorithm(
            "friction_torque",
            "friction",
            ("qd",),
            _force("tau"),
            lambda m, a, s, w: [passive.friction_torque(m, a, *s)],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "spring_torque",
            "springs",
            _q,
            _force("tau"),
            lambda m, a, s, w: [passive.spring_torque(m, a, *s)],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "kinetic_energy",
            "",
            _v,
            _plain("energy"),
            lambda m, a, s, w: [[e.kinetic_energy(m, a, *s)]],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "potential_energy",
            "",
            _q,
            _plain("energy"),
            lambda m, a, s, w: [[e.potential_energy(m, a, *s, gravity=w.gravity)]],
            options=_GRAVITY,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "com",
            "",
            _q,
            _plain("com", 3),
            lambda m, a, s, w: [list(e.com(m, a, *s).components())],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "momentum",
            "",
            _v,
            _plain("momentum", 6),
            lambda m, a, s, w: [list(e.momentum(m, a, *s).components())],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "centroidal_momentum",
            "",
            _v,
            _plain("momentum", 6),
            lambda m, a, s, w: [list(centroidal.centroidal_momentum(m, a, *s).components())],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "centroidal_momentum_rate",
            "",
            _a,
            _plain("momentum_rate", 6),
            lambda m, a, s, w: [centroidal.centroidal_momentum_rate(m, a, *s)],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "centroidal_momentum_matrix",
            "",
            _q,
            _columns("A"),
            lambda m, a, s, w: [flat(centroidal.centroidal_momentum_matrix(m, a, *s))],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "centroidal_inertia",
            "",
            _q,
            _plain("inertia", 3, 3),
            lambda m, a, s, w: [flat(centroidal.centroidal_inertia(m, a, *s))],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "coordinate_rates",
            "",
            _v,
            (rates,),
            lambda m, a, s, w: [k.coordinate_rates(m, a, *s)],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "coordinate_accelerations",
            "",
            _a,
            (Output("coordinate_accelerations", Kind.COORDINATES, lambda m: (m.nq,)),),
            lambda m, a, s, w: [k.coordinate_accelerations(m, a, *s)],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "forward_kinematics",
            "kinematics",
            _q,
            _plain("T", 4, 4),
            lambda m, a, s, w: [flat(k.forward_kinematics(m, a, *s, frame=_frame(w)))],
            options=_FRAME,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "jacobian",
            "",
            _q,
            _columns("J"),
            lambda m, a, s, w: [flat(k.jacobian(m, a, *s, frame=_frame(w)))],
            options=_FRAME,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "jacobian_rate",
            "",
            _v,
            _columns("J_dot", Kind.COLUMN_RATES),
            lambda m, a, s, w: [flat(k.jacobian_rate(m, a, *s, frame=_frame(w)))],
            options=_FRAME,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "operational_space",
            "",
            _q,
            (*_plain("inverse_inertia", 6, 6), Output("response", Kind.PLAIN, lambda m: (m.dof, 6))),
            lambda m, a, s, w: [flat(rows) for rows in operational.operational_space(m, a, *s, frame=_frame(w))],
            options=_FRAME,
            regroup=True,
            divisor=Divisor.JOINT_INERTIAS,
            reduced=lambda s: [flat(rows) for rows in operational.from_matrices(s.arith, s.M, s.jacobian())],
            closed=loops.operational_space,
            per_pair=0,
        ),
        Algorithm(
            "link_motion",
            "",
            _a,
            motion,
            lambda m, a, s, w: _link_motion(m, a, s),
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "joint_wrenches",
            "",
            _a,
            (_per_body("wrenches", 6),),
            lambda m, a, s, w: [_wrenches(m, a, s, w)],
            options=_PUSHED,
            **_CARRIED,
            regroup=False,
        ),
        Algorithm(
            "regressor",
            "",
            _a,
            (parameters,),
            lambda m, a, s, w: [flat(regressor(m, a, *s, gravity=w.gravity))],
            options=_GRAVITY,
            **_DRIVEN_COLUMNS,
            regroup=False,
            per_pair=195,
        ),
    ]


ALGORITHMS = {algorithm.name: algorithm for algorithm in _algorithms()}


def _slopes(**shapes: tuple[Callable[[Model], int], Callable[[Model], int]]) -> tuple[Output, ...]:
    """Matrices of derivatives. Where loops are closed they are in the independent rates and the driven torques."""
    return tuple(
        Output(name, Kind.SQUARE, lambda m, rows=rows, columns=columns: (rows(m), columns(m)))
        for name, (rows, columns) in shapes.items()
    )


def _independent(model: Model) -> int:
    return model.mobility


def _driven(model: Model) -> int:
    return len(model.actuators) if model.closure is None else len(model.closure.driven)


def _directions(model: Model) -> int:
    """In which q can be changed."""
    return model.mobility if model.loops else model.tangent


DERIVATIVES = {
    entry.name: entry
    for entry in (
        Derivative(
            ALGORITHMS["inverse_dynamics"],
            ("q", "qd"),
            _slopes(dtau_dq=(_driven, _directions), dtau_dqd=(_driven, _independent)),
            lambda m, a, s, w: [
                flat(rows) for rows in derivatives.inverse_dynamics_derivatives(m, a, *s, ground=w.ground)
            ],
            reduced=None,
            closed=loops.driving_slopes,
            per_pair=160,
        ),
        Derivative(
            ALGORITHMS["forward_dynamics"],
            ("q", "qd", "tau"),
            _slopes(
                dqdd_dq=(_independent, _directions),
                dqdd_dqd=(_independent, _independent),
                dqdd_dtau=(_independent, _driven),
            ),
            lambda m, a, s, w: [
                flat(rows) for rows in derivatives.forward_dynamics_derivatives(m, a, *s, ground=w.ground)
            ],
            reduced=_acceleration_slopes,
            closed=loops.acceleration_slopes,
            per_pair=450,
        ),
    )
}


# What only robots with a floating base have.
DRIVEN = Algorithm(
    "driven",
    "",
    _a,
    (Output("tau", Kind.FORCE, lambda m: (m.dof,)), Output("qdd", Kind.RATES, lambda m: (m.dof,))),
    lambda m, a, s, w: list(driven(m, a, s[0], s[1], s[2], **_forces(w))),
    options=_ALL,
    **_PASS,  # it divides by the inertia of the whole robot alone
    regroup=True,
)


def _rows(model: Model) -> int:
    return len(model.rows)


def _of_closed_loops(model: Model, arith: Arithmetic, s: Columns, w: Conditions) -> Outputs:
    raise TypeError("this algorithm is of robots with closed loops")


def _loop_algorithms() -> list[Algorithm]:
    """What only robots with loops have."""
    of_closed: dict[str, Any] = {
        "run": _of_closed_loops,
        "regroup": True,
        "divisor": Divisor.NONE,
        "reduced": None,
        "per_pair": 100,
    }
    return [
        Algorithm(
            "loop_error",
            "",
            _q,
            (Output("phi", Kind.PLAIN, lambda m: (_rows(m),)),),
            lambda m, a, s, w: [loops.loop_error(m, a, *s)],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "loop_poses",
            "",
            _q,
            (Output("poses", Kind.PLAIN, lambda m: (len(m.loops), 4, 4)),),
            lambda m, a, s, w: [flat(loops.loop_poses(m, a, *s))],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "loop_jacobian",
            "",
            _q,
            (Output("J", Kind.COLUMNS, lambda m: (_rows(m), m.dof)),),
            lambda m, a, s, w: [flat(loops.loop_jacobian(m, a, *s))],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "row_wrenches",
            "",
            _q,
            (Output("wrenches", Kind.PLAIN, lambda m: (_rows(m), len(m.bodies), 6)),),
            lambda m, a, s, w: [loops.row_wrenches(m, a, *s)],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "loop_accelerations",
            "",
            _a,
            (Output("rates", Kind.PLAIN, lambda m: (_rows(m),)),),
            lambda m, a, s, w: [loops.loop_accelerations(m, a, *s)],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "loop_multipliers",
            "",
            _t,
            (Output("multipliers", Kind.PLAIN, lambda m: (0 if m.closure is None else len(m.closure.rows),)),),
            closed=loops.multipliers,
            options=_ALL,
            **of_closed,
        ),
        Algorithm(
            "transmission",
            "",
            _q,
            (Output("G", Kind.PLAIN, lambda m: (m.dof, m.mobility)),),
            closed=loops.transmission,
            options=_NONE,
            **of_closed,
        ),
        Algorithm(
            "reduced_mass_matrix",
            "",
            _q,
            (Output("M", Kind.PLAIN, lambda m: (m.mobility, m.mobility)),),
            closed=loops.reduced_mass_matrix,
            options=_NONE,
            **of_closed,
        ),
        Algorithm(
            "completion",
            "",
            _a,
            (Output("qdd", Kind.PLAIN, lambda m: (m.dof,)),),
            closed=loops.completion,
            options=_NONE,
            **of_closed,
        ),
        Algorithm(
            "projection",
            "",
            _v,
            (Output("q", Kind.PLAIN, lambda m: (m.nq,)), Output("qd", Kind.PLAIN, lambda m: (m.dof,))),
            closed=loops.projection,
            options=_NONE,
            **of_closed,
        ),
    ]


def _of_wheels(model: Model, arith: Arithmetic, s: Columns, w: Conditions) -> Outputs:
    raise TypeError("this algorithm is of robots with wheels")


def _rolling_algorithms() -> list[Algorithm]:
    """What only robots with wheels have."""
    return [
        Algorithm(
            "rates",
            "",
            _v,
            (Output("rates", Kind.PLAIN, lambda m: (m.n,)),),
            lambda m, a, s, w: [list(s[1])],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "rolling_points",
            "",
            _q,
            (Output("points", Kind.PLAIN, lambda m: (len(m.contacts), 3)),),
            lambda m, a, s, w: [flat(rolling.contact_points(m, a, s[0], m.contacts, m.up))],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
        Algorithm(
            "rolling_forces",
            "",
            _t,
            (Output("forces", Kind.PLAIN, lambda m: (len(m.contacts), 3)),),
            _of_wheels,
            options=_ALL,
            regroup=True,
            divisor=Divisor.MASS_MATRIX,
            reduced=lambda s: [s.ground_forces(_acceleration(s)[0])],
            closed=None,
            per_pair=100,
        ),
    ]


def _ground(w: Conditions) -> contact.Ground:
    assert w.ground is not None
    return w.ground


def _ground_algorithms() -> list[Algorithm]:
    """What only robots have that may touch the ground."""

    def per_contact(name: str, *shape: int) -> Output:
        return Output(name, Kind.PLAIN, lambda m: (len(m.contact_points), *shape))

    on_ground: dict[str, Any] = {"options": frozenset({"ground"}), **_PASS, "regroup": False}
    states = ("points", "forces", "normals", "velocities")
    return [
        Algorithm(
            "contact_states",
            "",
            _v,
            (*(per_contact(name, 3) for name in states), per_contact("gaps")),
            lambda m, a, s, w: contact.contact_states(m, a, *s, ground=_ground(w)),
            **on_ground,
        ),
        Algorithm(
            "ground_power",
            "",
            _v,
            _plain("power"),
            lambda m, a, s, w: [[contact.power(m, a, *s, ground=_ground(w))]],
            **on_ground,
        ),
        Algorithm(
            "contact_motion",
            "",
            _v,
            (per_contact("motion", contact.MOTION),),
            lambda m, a, s, w: [flat(contact.contact_motion(m, a, *s))],
            options=_NONE,
            **_PASS,
            regroup=False,
        ),
    ]


LOOP_ALGORITHMS = {algorithm.name: algorithm for algorithm in _loop_algorithms()}
ROLLING_ALGORITHMS: dict[str, Entry] = {algorithm.name: algorithm for algorithm in _rolling_algorithms()}
ROLLING_ALGORITHMS["rates_derivatives"] = Derivative(
    ROLLING_ALGORITHMS["rates"].base,
    ("q", "qd"),
    _slopes(drates_dq=(lambda m: m.n, _directions), drates_dqd=(lambda m: m.n, _independent)),
    _of_wheels,
    reduced=None,
    closed=None,
    per_pair=100,
)
GROUND_ALGORITHMS = {algorithm.name: algorithm for algorithm in _ground_algorithms()}
BY_PARAMETERS = {entry.name: entry for entry in map(ParameterDerivative, ALGORITHMS.values())}
CATALOGUE: dict[str, Entry] = {
    **ALGORITHMS,
    **DERIVATIVES,
    **BY_PARAMETERS,
    **LOOP_ALGORITHMS,
    **ROLLING_ALGORITHMS,
    **GROUND_ALGORITHMS,
    DRIVEN.name: DRIVEN,
}
SHORT = {entry.short: name for name, entry in CATALOGUE.items() if entry.short}
