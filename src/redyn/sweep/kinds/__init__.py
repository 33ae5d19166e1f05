"""What may be run for a sample: a simulation, torques along a motion, a call of the robot, a function.

Each is imported where it is used: simulations bring Numba, which takes a worker a second to import.
"""

from __future__ import annotations

from redyn.errors import RedynError
from redyn.sweep.kinds.common import Output, Results, Runner
from redyn.sweep.plan import Call, Inverse, Simulate, Spec
from redyn.sweep.sampling import Sampler

__all__ = ["Output", "Results", "Runner", "runner"]

NOT_TRUSTED = (
    "the specification names code, {name}; if you know what it does, allow it with trust='code' (--trust code)"
)


def runner(plan: Spec, sampler: Sampler, trusted: bool) -> Runner:
    """What computes the samples of a specification; code that it names is imported only if it is trusted."""
    given, robot = plan.run, sampler.robot
    if isinstance(given, Simulate):
        from redyn.sweep.kinds.simulate import SimulateRunner

        return SimulateRunner(plan, given, robot, sampler)
    if isinstance(given, Inverse):
        from redyn.sweep.kinds.inverse import InverseRunner

        return InverseRunner(plan, given, robot, sampler)
    if isinstance(given, Call):
        from redyn.sweep.kinds.call import call_runner

        return call_runner(plan, given, robot)
    if not trusted:
        raise RedynError(NOT_TRUSTED.format(name=given.name))
    from redyn.sweep.kinds.function import FunctionRunner

    return FunctionRunner(plan, given, robot)
