"""Motion in time: forward dynamics integrated, one run or many."""

from redyn.simulation.batch import Batch, simulate_batch
from redyn.simulation.result import Energy, Run
from redyn.simulation.run import SimulationError, simulate
from redyn.simulation.setting import Stops

__all__ = ["Batch", "Energy", "Run", "SimulationError", "Stops", "simulate", "simulate_batch"]
