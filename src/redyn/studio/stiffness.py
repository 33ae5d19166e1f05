"""Whether a simulation is stiff: explicit methods then take the steps that stability allows, not accuracy."""

from __future__ import annotations

import numpy as np

from redyn.errors import RedynError
from redyn.simulation import Run
from redyn.studio.plans import FIXED_STEP, RunPlan

IMPLICIT = ("rosenbrock", "radau", "lsoda")
LOOKS = 5  # instants at which the robot is linearised
MANY = 2000  # steps of variable-step methods: fewer are taken in no time
HELD = 1.0  # explicit methods are unstable beyond 2 to 4 for step times rate


def stiffness_hint(run: Run, plan: RunPlan) -> str:
    """A sentence that names an implicit method; empty if the steps are short for another reason, or not short."""
    if run.method in IMPLICIT or not run.steps:
        return ""
    step = plan.step if run.method in FIXED_STEP else float(run.t[-1]) / run.steps
    if run.method not in FIXED_STEP and run.steps < MANY:
        return ""
    try:
        rate = fastest(run, plan)
    except (RedynError, np.linalg.LinAlgError):
        return ""
    if step * rate < HELD:
        return ""
    why = f"stiff: its fastest time constant is {1e3 / rate:.2g} ms"
    better = "radau"
    if run.robot.model.gives:
        why, better = f"stiff: it vibrates at up to {rate / (2 * np.pi):.3g} Hz", "rosenbrock"
    if run.method in FIXED_STEP:
        return f"{why}, the step {1e3 * step:.2g} ms; take a shorter one, or the integrator {better}"
    return f"{why}, so {run.method} takes short steps; the integrator {better} takes fewer"


def fastest(run: Run, plan: RunPlan) -> float:
    """The largest rate, 1/s, at which small deviations decay, or with which links and gears vibrate, along a run."""
    finite = np.flatnonzero(np.isfinite(run.q).all(axis=1) & np.isfinite(run.qd).all(axis=1))
    at = finite[np.linspace(0, len(finite) - 1, LOOKS).astype(int)]
    rates = [0.0]
    for k in at:
        if run.robot.model.gives and run.robot.model.closure is None:
            rates.append(float(run.robot.frequencies(run.q[k]).max(initial=0.0)))
            continue
        tau = run.tau[k]
        torque = tau if run.robot.model.closure is None else tau[run.robot.driven_rates]
        flow, _ = run.robot.linearize(run.q[k], run.qd[k], torque)
        rates.append(float(-np.linalg.eigvals(flow).real.min()))
    if plan.drive in ("pd", "computed"):  # gains per unit of inertia: every joint has about these poles
        rates.append(float(-np.roots([1.0, plan.kd, plan.kp]).real.min()))
    return max(rates)
