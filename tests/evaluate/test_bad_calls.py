"""Mistakes in calls of a robot get a clear error, and so do states that have no answer."""

import numpy as np
import pytest

import redyn

LINK = {"joint": "revolute", "a": 1, "b": 0, "alpha": 0, "mass": 1, "com": [0, 0, 0], "inertia": [1, 1, 1]}
FIXED = {**LINK, "joint": "fixed", "theta": 0}
GOOD = {"name": "arm", "convention": "dh", "links": [dict(LINK), dict(LINK), dict(LINK)]}
ZERO = np.zeros(6)
BAD_CALLS = {
    "short": (
        lambda r: r.inverse_dynamics(ZERO[:5], ZERO, ZERO),
        r"q: expected 6 numbers, one per joint \(joint1.*got shape \(5,\)",
    ),
    "long": (lambda r: r.inverse_dynamics(ZERO, np.zeros(7), ZERO), r"qd: expected 6 numbers"),
    "scalar": (lambda r: r.mass_matrix(0.0), r"q: expected 6 numbers.*got shape \(\)"),
    "three dimensions": (lambda r: r.mass_matrix(np.zeros((2, 2, 6))), r"got shape \(2, 2, 6\)"),
    "column": (lambda r: r.mass_matrix(np.zeros((6, 1))), r"got shape \(6, 1\)"),
    "ragged": (lambda r: r.mass_matrix([[0] * 6, [0] * 5]), "rows of different lengths"),
    "text": (lambda r: r.mass_matrix(["0"] * 6), "q: expected real numbers"),
    "complex": (
        lambda r: r.mass_matrix(np.zeros(6, complex)),
        "q: expected real numbers, got values of type complex128",
    ),
    "booleans": (lambda r: r.mass_matrix(np.zeros(6, bool)), "q: expected real numbers"),
    "objects": (lambda r: r.mass_matrix([None] * 6), "q: expected real numbers"),
    "NaN": (lambda r: r.inverse_dynamics(ZERO, ZERO, [0, 0, np.nan, 0, 0, 0]), r"qdd\[2\] is nan"),
    "infinity in a row": (
        lambda r: r.mass_matrix(np.where(np.arange(12).reshape(2, 6) == 9, np.inf, 0)),
        r"q\[1, 3\] is inf",
    ),
    "batches of two sizes": (
        lambda r: r.coriolis_vector(np.zeros((2, 6)), np.zeros((3, 6))),
        "q holds 2 states but qd holds 3",
    ),
    "unknown frame": (lambda r: r.jacobian(ZERO, "link7"), "no frame 'link7'; did you mean 'link"),
    "index too large": (lambda r: r.jacobian(ZERO, 7), "expected an index from 1 to 6, or 0 for the world, got 7"),
    "odd frame": (lambda r: r.jacobian(ZERO, 1.5), "expected a frame's name"),
    "external on an unknown link": (
        lambda r: r.inverse_dynamics(ZERO, ZERO, ZERO, external={"tip": ZERO}),
        "no frame 'tip'",
    ),
    "external of five numbers": (
        lambda r: r.inverse_dynamics(ZERO, ZERO, ZERO, external={"link6": ZERO[:5]}),
        r"external\['link6'\]: expected a wrench",
    ),
    "external is not a mapping": (
        lambda r: r.inverse_dynamics(ZERO, ZERO, ZERO, external=[1]),
        "external: expected {link",
    ),
    "gravity": (lambda r: r.gravity_torque(ZERO, gravity=[0, 0]), "gravity: expected an acceleration"),
    "payload of five numbers": (
        lambda r: r.inverse_dynamics(ZERO, ZERO, ZERO, payload=[1, 2]),
        "payload: expected ten numbers",
    ),
    "method": (
        lambda r: r.forward_dynamics(ZERO, ZERO, ZERO, method="lu"),
        "method: expected 'recursive' or 'cholesky'",
    ),
    "form": (lambda r: r.coriolis_matrix(ZERO, ZERO, form="book"), "form: expected 'mci' or 'christoffel'"),
}


BAD_CALLS |= {
    "threads": (lambda r: r.mass_matrix(ZERO, threads=0), "threads: expected a number from 1"),
    "out of another shape": (
        lambda r: r.mass_matrix(ZERO, out=np.zeros((6, 5))),
        r"out: expected a float64 array of shape \(6, 6\)",
    ),
    "out of another type": (
        lambda r: r.mass_matrix(ZERO, out=np.zeros((6, 6), np.float32)),
        "out: expected a float64 array",
    ),
    "one out for two": (lambda r: r.udu(ZERO, out=np.zeros((6, 6))), "out: expected 2 arrays, got 1"),
    "seed": (lambda r: r.random("a"), "random: expected a generator"),
    "algorithm": (lambda r: r.operation_count("inverse"), "no algorithm is called 'inverse'"),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_calls(case):
    call, message = BAD_CALLS[case]
    with pytest.raises(redyn.InputError, match=message):
        call(redyn.load("puma"))


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("shape", [(6,), (4, 6)])
def test_zero_articulated_inertia_is_named(exact, shape):
    robot = redyn.load("kuka-kr5-printed", exact=exact)
    q = np.random.default_rng(0).uniform(-1, 1, shape)
    for call in (
        lambda: robot.forward_dynamics(q, q, q),
        lambda: robot.forward_dynamics(q, q, q, method="cholesky"),
        lambda: robot.solve(q, q),
        lambda: robot.inverse_mass_matrix(q),
        lambda: robot.udu(q),
    ):
        with pytest.raises(
            redyn.SingularError, match=r"'joint6' moves no inertia.*give link 'link6' inertia.*armature"
        ):
            call()
    assert np.isfinite(robot.inverse_dynamics(q, q, q)).all()


def test_overflow_is_not_called_singular():
    robot = redyn.load("puma")
    huge = np.full(6, 1e200)
    for call in (lambda: robot.inverse_dynamics(ZERO, huge, ZERO), lambda: robot.kinetic_energy(ZERO, huge)):
        with pytest.raises(redyn.RedynError, match="too large to represent"):
            call()
    with pytest.raises(redyn.RedynError, match="too large to represent"):
        robot.forward_dynamics(ZERO, huge, ZERO)
    assert not np.isfinite(robot.inverse_dynamics(ZERO, huge, ZERO, check=False)).all()


@pytest.mark.parametrize("q2", [0.0, np.pi])
def test_a_massless_wrist_is_singular_where_its_axes_align(q2):
    body = {"joint": "revolute", "mass": 1, "com": [0.1, 0.2, 0.3], "inertia": [0.1, 0.11, 0.12]}
    links = [
        {"joint": "revolute", "rpy": [0.3, 0.2, 0.1], "mass": 0},
        {"joint": "revolute", "axis": [0, 1, 0], "mass": 0},
        body,
    ]
    robot = redyn.load({"name": "wrist", "convention": "frames", "links": links})
    good, bad = np.array([0.3, 0.7, 0.2]), np.array([0.3, q2, 0.2])
    tau = robot.inverse_dynamics(good, good, [1, 2, 3])
    np.testing.assert_allclose(robot.forward_dynamics(good, good, tau), [1, 2, 3], atol=1e-9)
    for method in ("recursive", "cholesky"):
        with pytest.raises(redyn.SingularError, match="joint1"):
            robot.forward_dynamics(bad, good, tau, method=method)


def test_payload_on_the_world_is_refused():
    data = {
        **GOOD,
        "links": [{**FIXED, "name": "post"}, {**LINK, "name": "arm", "parent": "world"}],
        "end_effector": "post",
    }
    with pytest.raises(redyn.InputError, match="fixed to the world"):
        redyn.load(data).inverse_dynamics([0], [0], [0], payload=np.zeros(10))


def test_armature_cures_zero_inertia():
    data = redyn.load("kuka-kr5-printed").description.model_dump(exclude_none=True)
    data["links"][5]["joint"]["armature"] = 1e-5
    q = np.ones(6)
    robot = redyn.load(data)
    np.testing.assert_allclose(
        robot.mass_matrix(q) @ robot.forward_dynamics(q, 0 * q, q) + robot.gravity_torque(q), q, atol=1e-9
    )


def test_two_coincident_joints_without_mass_between():
    data = {
        "name": "twin",
        "convention": "frames",
        "links": [
            {"joint": "revolute", "mass": 0},
            {"joint": "revolute", "mass": 1, "com": [1, 0, 0], "inertia": [0, 0.1, 0.1]},
        ],
    }
    robot = redyn.load(data)
    with pytest.raises(redyn.SingularError, match="joint1"):
        robot.forward_dynamics([0.3, 0.4], [0, 0], [1, 1])


def test_trees_must_name_a_tip():
    data = {
        **GOOD,
        "links": [{**LINK, "name": "a"}, {**LINK, "name": "b", "parent": "a"}, {**LINK, "name": "c", "parent": "a"}],
    }
    robot = redyn.load(data)
    with pytest.raises(redyn.InputError, match="several tips"):
        robot.forward_kinematics([0, 0, 0])
    assert redyn.load({**data, "end_effector": "b"}).forward_kinematics([0, 0, 0]).shape == (4, 4)


def test_external_on_the_world_is_refused():
    data = {**GOOD, "links": [{**FIXED, "name": "post"}, {**LINK, "name": "arm"}]}
    robot = redyn.load(data)
    with pytest.raises(redyn.InputError, match="fixed to the world"):
        robot.inverse_dynamics([0], [0], [0], external={"post": np.zeros(6)})
