"""Motions in time from states that vary: fixed steps in lanes, or adaptive steps sample by sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError
from redyn.robot import FreeRobot, Robot
from redyn.simulation import controllers, simulate, simulate_batch
from redyn.sweep.kinds.common import Output, Results, block_of, chosen, columns_of, labelled, padded, series
from redyn.sweep.plan import Simulate, Spec
from redyn.sweep.sampling import Sampler, Samples

Array = NDArray[np.float64]

AXES = ("x", "y", "z")
OUTPUTS = {
    "final_q": "the configuration at the end",
    "final_qd": "the rates at the end",
    "tip": "the position of the end effector, or of `link`, at the end",
    "energy": "kinetic and potential energy at the end",
    "energy_error": "the largest error of the energy balance, a measure of the integration",
    "peak_speed": "the largest magnitude of each rate, of all sampled instants",
    "peak_torque": "the same of the torque that the controller gives",
    "q_series": "the configuration at all sampled instants",
    "qd_series": "the rates then",
    "tip_series": "the position of the end effector then",
}
USUAL = ("final_q", "final_qd")
FIXED = ("rk4", "rkc")
USUAL_STEP = 1e-3  # s


class SimulateRunner:
    """Either way, from a block of samples to (instants, samples, ...) arrays to outputs."""

    def __init__(self, plan: Spec, given: Simulate, robot: Robot, sampler: Sampler) -> None:
        self._given, self._robot = given, robot
        self._wanted = chosen(plan.outputs, OUTPUTS, "simulate", USUAL)
        if "tip" in self._wanted or "tip_series" in self._wanted or given.link is not None:
            robot.frame_name(given.link)  # says which there are
        varied = {column.vector for v in sampler.variations for column in v.columns}
        self._pd = None
        if given.pd is not None:
            if "tau" in varied or "tau" in plan.fixed:
                raise InputError("run.simulate.pd: a controller and given torques exclude each other")
            self._pd = controllers.pd(robot, given.pd.target, given.pd.kp, given.pd.kd)
        self._drives = "tau" in varied or bool(sampler.base["tau"].any())
        if "peak_torque" in self._wanted and self._pd is None and not self._drives:
            raise InputError("outputs: peak_torque: no torques act; give pd, or tau in fixed or vary")
        self._adaptive = given.method not in FIXED
        if "energy_error" in self._wanted and not self._adaptive:
            self._require_conserved(varied, sampler)
        instants = 2
        if given.sample is not None:
            instants = round(given.duration / given.sample) + 1
            if abs((instants - 1) * given.sample - given.duration) > 1e-9 * given.duration:
                raise InputError(f"run.simulate.sample: {given.sample:g} s does not divide {given.duration:g} s")
        self.instants = np.linspace(0.0, given.duration, instants)
        n = robot.velocity_names
        labels = {"q": robot.coordinate_names, "qd": n, "tip": AXES, "peak_speed": n, "peak_torque": robot.torque_names}
        self._columns = dict[str, list[Output]]()
        for name in self._wanted:
            kept = name.removesuffix("_series").removeprefix("final_")
            if name.endswith("_series"):
                self._columns[name] = series(name, labels[kept], instants)
            elif kept in labels:
                self._columns[name] = labelled(name, labels[kept])
            else:
                self._columns[name] = [Output(name)]
        self.outputs: list[Output] = [output for outputs in self._columns.values() for output in outputs]
        free = len(robot.parameter_names) if isinstance(robot, FreeRobot) else 0
        self.block = block_of((instants + 4) * (robot.nq + robot.dof) + 2 * free)

    def _require_conserved(self, varied: set[str], sampler: Sampler) -> None:
        joints = [link.joint for link in self._robot.description.links]
        names = sampler.column_names
        loses = any(joint.damping or joint.coulomb for joint in joints) and sampler.plan.load.friction
        loses = loses or any(name.endswith((".damping", ".coulomb")) for name in names)
        whole = self._robot.nq == self._robot.dof and not self._robot.model.contacts
        if loses or self._robot.model.flexible or self._pd is not None or self._given.ground or not whole:
            raise InputError(
                "outputs: energy_error by rk4 and rkc is for robots that lose no energy; with method: rkf45 the work "
                "of friction, controllers and the ground is integrated too"
            )

    def run(self, samples: Samples) -> Results:
        return self._one_by_one(samples) if self._adaptive else self._together(samples)

    def _together(self, samples: Samples) -> Results:
        given, count = self._given, len(samples)
        q, qd, tau = (padded(samples.vectors[name]) for name in ("q", "qd", "tau"))
        keywords = {} if samples.parameters is None else {"parameters": padded(samples.parameters)}
        batch = simulate_batch(
            self._robot,
            q,
            qd,
            given.duration,
            torque=self._pd if self._pd is not None else tau if self._drives else None,
            step=given.step or USUAL_STEP,
            sample=given.sample,
            ground=given.ground,
            method="rkc" if given.method == "rkc" else "rk4",
            threads=1,
            check=False,
            progress=False,
            **keywords,
        )
        if batch.ending:
            raise KeyboardInterrupt
        Q, V, failures = batch.q[:, :count], batch.qd[:, :count], dict[int, str]()
        fine: NDArray[np.bool_] = np.asarray(np.isfinite(Q).all(axis=2) & np.isfinite(V).all(axis=2))
        for row in np.flatnonzero(~fine.all(axis=0)):
            t = batch.t[int(np.argmin(fine[:, row]))]
            failures[int(row)] = f"no longer finite at t = {t:.4g} s: the motion diverges, or needs a smaller step"
        if len(failures) == count:
            return Results({}, failures)
        keywords = {} if samples.parameters is None else {"parameters": samples.parameters}
        lost = list(failures)
        if lost:  # whatever is finite goes through the calls below
            Q, V = Q.copy(), V.copy()
            Q[:, lost], V[:, lost] = batch.q[:1, :count][:, lost], 0.0
        return Results(self._values(self._columns, Q, V, tau[:count], keywords), failures)

    def _values(
        self, columns: Mapping[str, list[Output]], Q: Array, V: Array, tau: Array, keywords: Mapping[str, Any]
    ) -> dict[str, Array]:
        """Of (instants, samples, ...) arrays."""
        found: dict[str, Array] = {}
        for name, outputs in columns.items():
            if name in ("final_q", "final_qd"):
                value = (Q if name == "final_q" else V)[-1]
            elif name in ("q_series", "qd_series"):
                value = (Q if name == "q_series" else V).transpose(1, 2, 0)
            elif name == "tip":
                value = self._tip(Q[-1], keywords)
            elif name == "tip_series":
                value = np.stack([self._tip(q, keywords) for q in Q], axis=2)
            elif name == "peak_speed":
                value = np.abs(V).max(axis=0)
            elif name == "peak_torque":
                given = tau[None] if self._pd is None else self._pd(0.0, Q, V)
                value = np.abs(given).max(axis=0)
            elif name == "energy":
                value = self._energy(Q[-1], V[-1], keywords)[:, None]
            else:
                start, worst = self._energy(Q[0], V[0], keywords), np.zeros(Q.shape[1])
                for q, v in zip(Q[1:], V[1:], strict=True):
                    change = self._energy(q, v, keywords) - start
                    for k in range(tau.shape[1]):
                        change = change - tau[:, k] * (q[:, k] - Q[0, :, k])
                    worst = np.maximum(worst, np.abs(change))
                value = worst[:, None]
            found |= columns_of(outputs, value)
        return found

    def _tip(self, q: Array, keywords: Mapping[str, Any]) -> Array:
        rows: dict[str, Any] = {name: padded(a) for name, a in keywords.items()}
        return self._robot.forward_kinematics(padded(q), self._given.link, threads=1, **rows)[: len(q), :3, 3]

    def _energy(self, q: Array, qd: Array, keywords: Mapping[str, Any]) -> Array:
        rows: dict[str, Any] = {name: padded(a) for name, a in keywords.items()} | {"threads": 1}
        kinetic = self._robot.kinetic_energy(padded(q), padded(qd), **rows)
        return (kinetic + self._robot.potential_energy(padded(q), **rows))[: len(q)]

    def _one_by_one(self, samples: Samples) -> Results:
        """Each an ordinary run, whose works are part of its energy balance."""
        given, runs = self._given, list[Any]()
        for i in range(len(samples)):
            parameters = None if samples.parameters is None else samples.parameters[i]
            run = simulate(
                self._robot,
                samples.vectors["q"][i],
                samples.vectors["qd"][i],
                given.duration,
                torque=self._pd if self._pd is not None else samples.vectors["tau"][i] if self._drives else None,
                method=given.method,
                step=given.step,
                rtol=given.rtol,
                sample=self.instants,
                ground=given.ground,
                parameters=parameters,
                progress=False,
            )
            if run.interrupted:
                raise KeyboardInterrupt
            runs.append(run)
        Q, V = (np.stack([getattr(run, name) for run in runs], axis=1) for name in ("q", "qd"))
        keywords = {} if samples.parameters is None else {"parameters": samples.parameters}
        columns, kept = dict(self._columns), dict[str, Array]()
        if columns.pop("energy_error", None):
            kept["energy_error"] = np.array([np.abs(run.energy.balance).max() for run in runs])
        peaks = columns.pop("peak_torque", None)
        if peaks is not None:
            kept |= columns_of(peaks, np.array([np.abs(run.tau).max(axis=0) for run in runs]))
        found = self._values(columns, Q, V, samples.vectors["tau"], keywords)
        return Results(found | kept)
