"""Rows of a sweep depend on their sample alone, and are what plain calls give."""

from __future__ import annotations

import numpy as np
import pytest

import redyn
from redyn import sweep
from redyn.sweep.result import values

arrow = pytest.importorskip("pyarrow")

MASSES = {"*.mass": {"normal": [1, 0.1], "relative": "factor"}}
STATES = {"q": {"uniform": ["-pi", "pi"]}, "qd": {"normal": [0, 1]}}


def table(data, size=None):
    plan = sweep.spec(data if size is None else {**data, "shard": size})
    return arrow.concat_tables([sweep.run_shard(plan, k).replace_schema_metadata() for k in range(plan.shards)])


def same(a, b):
    """To the last bit, NaN and null included."""
    for name in a.column_names:
        x, y = values(a, name), values(b, name)
        assert x.dtype == y.dtype, name
        assert x.tobytes() == y.tobytes() if x.dtype != object else x.tolist() == y.tolist(), name


def columns(found, prefix):
    return np.stack([values(found, name) for name in found.column_names if name.startswith(prefix)], axis=-1)


KINDS = {
    "call": ("puma", {**MASSES, **STATES}, {"call": "inverse_dynamics"}, []),
    "matrix": ("puma", {**MASSES, "q": STATES["q"]}, {"call": "mass_matrix"}, []),
    "simulate": (
        "stanford",
        {**MASSES, **STATES},
        {"simulate": {"duration": 0.02, "sample": 0.01}},
        ["final_q", "tip", "energy", "energy_error", "peak_speed", "qd_series", "tip_series"],
    ),
    "held": (
        "puma",
        MASSES | {"q": {"sobol": [-1, 1]}},
        {"simulate": {"duration": 0.02, "pd": {"target": 0, "kp": 50, "kd": 5}}},
        ["final_qd", "peak_torque"],
    ),
    "inverse": (
        "puma",
        MASSES | {"stop": {"uniform": [-1, 1]}},
        {"inverse": {"stop": 1, "duration": 1, "points": 11}},
        ["peak_torque", "rms_torque", "work", "peak_power", "torque_series"],
    ),
    "floating": (
        "dual-arm-satellite",
        {**MASSES, "q.base": {"rotation": "pi"}, "qd": {"normal": [0, 0.1]}},
        {"simulate": {"duration": 0.01}},
        [],
    ),
    "loops": ("four-bar", {**MASSES, "q.crank": {"uniform": [0.3, 0.6]}}, {"simulate": {"duration": 0.01}}, []),
    "wheels": ("differential-drive", {**MASSES, "tau": {"normal": [0, 1]}}, {"simulate": {"duration": 0.01}}, []),
    "frequencies": ("two-link", MASSES, {"call": "frequencies"}, []),
}


def data_of(kind):
    robot, vary, run, outputs = KINDS[kind]
    return {"robot": robot, "samples": 37, "seed": 5, "vary": vary, "run": run, "outputs": outputs, "shard": 37}


@pytest.mark.parametrize("kind", KINDS)
def test_rows_do_not_depend_on_shards(kind):
    whole = table(data_of(kind))
    assert whole["failure"].null_count == 37
    for size in (1, 3, 20):
        same(whole, table(data_of(kind), size))


def test_calls_are_those_of_a_plain_loop():
    found = table(data_of("call"))
    free = redyn.load("puma").free("*.mass")
    P = columns(found, "link")
    q, qd = columns(found, "q."), columns(found, "qd.")
    for i in range(37):
        tau = free.rebuilt(P[i]).inverse_dynamics(q[i], qd[i], np.zeros(6))
        np.testing.assert_allclose(columns(found, "tau.")[i], tau, atol=1e-10)
    assert columns(found, "tau.").tobytes() == free.inverse_dynamics(q, qd, np.zeros((37, 6)), parameters=P).tobytes()


def test_simulations_are_those_of_a_plain_loop():
    found = table(data_of("simulate"))
    free = redyn.load("stanford").free("*.mass")
    P, q, qd = columns(found, "link"), columns(found, "q."), columns(found, "qd.")
    batch = redyn.simulate_batch(free, q, qd, 0.02, sample=0.01, parameters=P)
    assert columns(found, "final_q.").tobytes() == batch.q[-1].tobytes()
    np.testing.assert_array_equal(columns(found, "qd_series."), batch.qd.transpose(1, 0, 2))
    for i in (0, 36):
        alone = redyn.simulate(free.rebuilt(P[i]), q[i], qd[i], 0.02)
        np.testing.assert_allclose(columns(found, "final_q.")[i], alone.q[-1], atol=1e-7)
        np.testing.assert_allclose(columns(found, "tip.")[i], alone.path[-1], atol=1e-7)
    assert values(found, "energy_error").max() < 1e-6


@pytest.mark.slow
def test_adaptive_steps_agree_with_fixed_ones():
    data = data_of("simulate") | {"samples": 5, "outputs": ["final_q", "energy_error"]}
    other = data | {"run": {"simulate": {"duration": 0.02, "method": "rkf45"}}}
    np.testing.assert_allclose(columns(table(data), "final_q."), columns(table(other), "final_q."), atol=1e-7)
    same(table(other), table(other, 2))


def test_torques_along_a_motion():
    found = table(data_of("inverse"))
    free = redyn.load("puma").free("*.mass")
    t = np.linspace(0, 1, 11)
    for i in (0, 20):
        stop = columns(found, "stop.")[i]
        motion = redyn.trajectory.cycloidal(free.initial, stop, 1.0)
        tau = free.rebuilt(columns(found, "link")[i]).inverse_dynamics(*motion(t))
        power = tau * motion(t)[1]
        for name, expected in {
            "peak_torque.": np.abs(tau).max(axis=0),
            "rms_torque.": np.sqrt((tau**2).mean(axis=0)),
            "work.": np.trapezoid(power, t, axis=0),
            "peak_power.": np.abs(power).max(axis=0),
            "torque_series.": tau,
        }.items():
            np.testing.assert_allclose(columns(found, name)[i], expected, atol=1e-9)


def test_draws_anybody_can_make_again():
    """Sample i has the numbers of SeedSequence(seed, spawn_key=(i,)), in the order of the specification."""
    found = table(data_of("call"))
    names = [name for name in found.column_names if not name.startswith(("sample", "tau", "failure"))]
    for i in (0, 36):
        u = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(i,))).random(len(names))
        assert values(found, "q.joint3")[i] == -np.pi + 2 * np.pi * u[names.index("q.joint3")]


def test_failures_are_rows_with_reasons():
    """And others of the same batch are as if they were alone."""
    data = {
        "robot": "kuka-kr5",
        "samples": 60,
        "shard": 60,
        "vary": {
            "link6.inertia": {"choice": [1, 0], "relative": "factor", "together": True},
            "link6.mass": {"choice": [1, 0]},
            "link2.mass": {"uniform": [-1, 10]},
            "qd": {"choice": [0.1, 1e90], "together": True},
        },
        "fixed": {"q": [0.1]},
        "run": {"simulate": {"duration": 0.01}},
    }
    found = table(data)
    reasons = set(filter(None, found["failure"].to_pylist()))
    assert any("joint6" in reason for reason in reasons)
    assert "unphysical: link2.mass is negative" in reasons
    assert any("no longer finite" in reason or "too large" in reason for reason in reasons)
    assert not any(" in row " in reason for reason in reasons)
    for size in (1, 7):
        same(found, table(data, size))
    fine = np.array([reason is None for reason in found["failure"].to_pylist()])
    assert 0 < fine.sum() < 60
    assert (np.isfinite(columns(found, "final_q.")).all(axis=1) == fine).all()


def test_functions():
    data = {
        "robot": "two-link",
        "samples": 9,
        "shard": 9,
        "vary": {"*.mass": {"uniform": [1, 2]}, "q": {"normal": [0, 1]}},
        "run": {"function": "sweep_functions:touchy"},
        "outputs": ["mass", "curve[3]"],
    }
    with pytest.raises(redyn.RedynError, match=r"names code, sweep_functions:touchy.*--trust code"):
        sweep.run_shard(data, 0)
    found = sweep.run_shard(data, 0, trust="code")
    failed = values(found, "q.joint1") > 0
    assert [reason == "ValueError: a positive angle" for reason in found["failure"].to_pylist()] == failed.tolist()
    mass = values(found, "link1.mass") + values(found, "link2.mass")
    np.testing.assert_allclose(values(found, "mass")[~failed], mass[~failed])
    i = int(np.argmin(failed))
    rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(i, 0)))
    assert (values(found, "curve")[i] == values(found, "q.joint1")[i] * rng.random(3)).all()


def test_grids_have_all_combinations():
    data = {
        "robot": "two-link",
        "shard": 5,
        "vary": {"q.joint1": {"grid": [0, 1, 2]}, "link2.mass": {"grid": {"low": 1, "high": 2, "count": 4}}},
        "run": {"call": "gravity_torque"},
    }
    found = table(data)
    pairs = list(zip(values(found, "q.joint1"), values(found, "link2.mass"), strict=True))
    assert pairs == [(a, b) for a in (0, 1, 2) for b in np.linspace(1, 2, 4)]
    with pytest.raises(redyn.InputError, match="12 combinations; give a multiple"):
        table({**data, "samples": 30})


def test_sobol_for_all():
    data = data_of("call") | {"sampling": "sobol", "samples": 64}
    found = table(data)
    assert (np.sort((values(found, "q.joint1") / (2 * np.pi) + 0.5) * 64).astype(int) == np.arange(64)).all()
    same(found, table(data, 9))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vary": {"q": {"uniform": [0, 1]}, "q.joint1": {"grid": [1]}}}, "both vary q.joint1"),
        ({"vary": {"q.jont1": {"uniform": [0, 1]}}}, "did you mean 'joint1'"),
        ({"vary": {"link9.mass": {"uniform": [0, 1]}}}, "did you mean 'link"),
        ({"vary": {"stop": {"uniform": [0, 1]}}}, "'stop' plays no part"),
        ({"vary": {"q.joint1": {"rotation": 1}}}, "a rotation is for the orientation"),
        ({"outputs": ["taus"]}, "did you mean 'tau'"),
        ({"run": {"call": "mass_matrx"}}, "did you mean 'mass_matrix'"),
        ({"run": {"call": {"name": "com", "link": "link1"}}, "vary": MASSES}, "is not about one frame"),
        ({"run": {"simulat": {}}}, "did you mean 'simulate'"),
        ({"run": {"simulate": {"duraton": 1}}}, "run.simulate.duraton: unknown key; did you mean 'duration'"),
        ({"run": {"simulate": {"duration": 1, "sample": 0.3}}}, "does not divide"),
        ({"run": {"simulate": {"duration": 1}}, "outputs": ["peak_torque"]}, "no torques act"),
        ({"samples": "many"}, "samples: expected a number"),
        ({"samples": 0}, "samples: expected a whole number from 1"),
        ({"sampels": 3}, "did you mean 'samples'"),
        ({"robot": "pumma"}, "did you mean 'puma'"),
        ({"seed": -1}, "seed: expected a whole number"),
        ({"fixed": {"q": [1, 2]}}, "fixed.q: expected 6 numbers"),
        ({"load": {"frction": True}}, "did you mean 'friction'"),
        ({"run": lambda robot, state, rng: {}}, "put it in a module"),
        ({"run": {"function": "os.path:nothing"}, "outputs": ["a"]}, "cannot be imported"),
    ],
)
def test_mistakes(change, message):
    with pytest.raises(redyn.RedynError, match=message):
        sweep.run_shard(data_of("call") | change, 0, trust="code")


def test_quaternions_are_not_varied_by_parts():
    data = data_of("floating") | {"vary": {"q.base.qx": {"uniform": [0, 1]}}}
    with pytest.raises(redyn.InputError, match=r"vary q\.base with a rotation"):
        table(data)


def test_specifications(tmp_path):
    """Files, dicts and robots give the same one, which goes through JSON unchanged."""
    text = 'robot: puma\nsamples: 1e3\nvary:\n  "*.mass": {normal: [1, 0.1], relative: factor}\nrun: {call: com}\n'
    (tmp_path / "a.yaml").write_text(text)
    plan = sweep.spec(tmp_path / "a.yaml")
    (tmp_path / "a.json").write_text(plan.to_json())
    data = {"samples": 1000, "vary": MASSES, "run": {"call": "com"}}
    assert sweep.spec(tmp_path / "a.json") == plan == sweep.spec({**data, "robot": "puma"})
    assert plan.hash == sweep.spec(plan.to_data()).hash
    assert plan.hash != sweep.spec({**data, "robot": "puma", "seed": 1}).hash
    own = redyn.load("puma", friction=False)
    assert not sweep.spec({**data, "robot": own}).load.friction
    with pytest.raises(redyn.DescriptionError, match=r"b\.yaml: cannot be read"):
        sweep.spec(tmp_path / "b.yaml")
