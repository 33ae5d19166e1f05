"""From a recording to a robot file, in one call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.drives import drive_parameters
from redyn.errors import InputError, warn
from redyn.identification.base import BaseParameters, base_parameters
from redyn.identification.fit import OUTLIER, Fit, best_cutoff, fit_base, known_drives, spread
from redyn.identification.motion import States, cutoffs, states
from redyn.identification.parameters import with_parameters
from redyn.identification.physical import physical_parameters
from redyn.identification.recording import Recording
from redyn.robot import Robot

Array = NDArray[np.float64]

POOR = 0.3  # share of the torque left unexplained above which something must be wrong
MANY_OUTLIERS = 0.05


@dataclass(frozen=True)
class Identification:
    """The result of an identification."""

    robot: Robot  # with the physically consistent parameters
    prior: Robot
    fit: Fit  # of the base parameters, unconstrained
    cutoff: float  # Hz; infinite if nothing was filtered
    unseen: States  # the motion that was held back
    errors: Array  # of the new robot on it, by joint: RMS error relative to the RMS of the recorded torque
    prior_errors: Array  # the same of the original robot

    @property
    def base(self) -> BaseParameters:
        return self.fit.base

    @property
    def error(self) -> float:
        """Over all joints, each relative to its own torque."""
        return float(np.sqrt((self.errors**2).mean()))

    @property
    def physical_values(self) -> Array:
        """The base parameters of the new robot."""
        return self.base.matrix @ self.robot.all_parameters(self.base.friction, self.base.armature)

    def predicted(self) -> Array:
        """Torques of the new robot on the motion that was held back."""
        return self.robot.inverse_dynamics(self.unseen.q, self.unseen.qd, self.unseen.qdd)

    def figure(self, path: Any = None, force: bool = False) -> Any:
        """Measured and predicted torques on the motion that was held back, as a Matplotlib figure."""
        from redyn.identification.figure import validation_figure

        return validation_figure(self, path, force)


def identify(
    robot: Robot,
    recorded: Recording,
    *,
    friction: bool = True,
    armature: bool | None = None,
    cutoff: float | None = None,
    validate: Recording | float = 0.2,
    tick: Callable[[str], None] = lambda _: None,
) -> Identification:
    """Fit a robot's parameters to a recording, and validate the result on motion that was held back.

    `friction` and `armature` say whether these are estimated too (armature by default if the file has any); otherwise
    they are taken from the file. `cutoff` is the low-pass for derivatives in Hz, by default the one
    that explains the torques best. `validate` is another recording, or the last share of this one.

    >>> import redyn
    >>> from redyn.identification import exciting_motion, identify, recording
    >>> truth = redyn.load("two-link")
    >>> motion = exciting_motion(truth, duration=5.0, tries=3, steps=3)
    >>> t = np.linspace(0.0, 5.0, 501)
    >>> q, qd, qdd = motion(t)
    >>> tau = truth.inverse_dynamics(q, qd, qdd) + 0.01 * np.random.default_rng(0).normal(size=q.shape)
    >>> found = identify(truth, recording(truth, t, q, tau))
    >>> found.error < 0.02
    True
    """
    if cutoff is not None and not cutoff > 0:
        raise InputError(f"cutoff: expected a frequency above 0 Hz, got {cutoff}")
    rotors = bool(drive_parameters(robot.model, False, True).any())
    tick("base parameters")
    base = base_parameters(robot, friction, rotors if armature is None else armature)
    training, held_back = _parts(recorded, validate)

    def motion(part: Recording, frequency: float) -> States:
        made = states(part, frequency)
        return made._replace(tau=made.tau - known_drives(base, made))

    candidates = cutoffs(training) if cutoff is None else [cutoff]
    tick("derivatives")
    chosen = candidates[0] if len(candidates) == 1 else best_cutoff(base, candidates, partial(motion, training))
    tick("least squares")
    fit = fit_base(base, motion(training, chosen))
    _warn_of_outliers(recorded, fit)
    tick("physically consistent fit")
    parameters = physical_parameters(fit)
    source = f"identified from {recorded.origin}; {robot.name} was the start"
    found = with_parameters(robot, parameters, friction, base.armature, source)
    tick("validation")
    unseen = states(held_back, chosen)
    size = _size(np.concatenate([training.tau, held_back.tau]))
    errors = [_left(which, unseen) / np.where(size > 0, size, 1.0) for which in (found, robot)]
    result = Identification(found, robot, fit, chosen, unseen, errors[0], errors[1])
    _warn_if_poor(result)
    return result


def _parts(recorded: Recording, validate: Recording | float) -> tuple[Recording, Recording]:
    if isinstance(validate, Recording):
        return recorded, validate
    if not 0.05 <= validate <= 0.5:
        raise InputError(f"validate: expected another recording, or a share from 0.05 to 0.5, got {validate}")
    training, held_back = recorded.split(validate)
    for part in (training, held_back):
        if len(part.t) < 2 or not part.stretches():
            raise InputError(f"{recorded.origin}: too short to hold {validate:.0%} back; record a longer motion")
    return training, held_back


def _size(tau: Array) -> Array:
    """RMS of a torque, by joint, clipped at the 99th percentile so that spikes do not count."""
    return np.sqrt((np.minimum(np.abs(tau), np.quantile(np.abs(tau), 0.99, axis=0)) ** 2).mean(axis=0))


def _left(robot: Robot, seen: States) -> Array:
    """RMS of the torque that a robot leaves unexplained, by joint, without spikes."""
    left = seen.tau - robot.inverse_dynamics(seen.q, seen.qd, seen.qdd)
    usual = np.abs(left - np.median(left, axis=0)) <= np.maximum(OUTLIER * spread(left), 1e-300)
    return np.sqrt((left**2).mean(axis=0, where=usual))


def _warn_of_outliers(recorded: Recording, fit: Fit) -> None:
    share = fit.outliers / (fit.rows * fit.base.robot.dof)
    if share > MANY_OUTLIERS:
        warn(f"{recorded.origin}: {share:.0%} of the torques look like outliers and were left out; look at them")
    if fit.unseen:
        shown = "; ".join(fit.unseen[:4]) + (f"; and {len(fit.unseen) - 4} more" if len(fit.unseen) > 4 else "")
        warn(
            f"{recorded.origin}: the motion does not show {shown}; they stay near the file. "
            "`redyn excite` makes a motion that shows more"
        )


def _warn_if_poor(result: Identification) -> None:
    worst = int(np.argmax(result.errors))
    if result.errors[worst] > POOR:
        joint = result.robot.velocity_names[worst]
        warn(
            f"the new robot leaves {result.errors[worst]:.0%} of the torque of {joint} unexplained on unseen motion; "
            "check units, signs and the order of joints, gravity, and whether the recording moves this joint"
        )
