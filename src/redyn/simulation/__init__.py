"""Motion in time: forward dynamics integrated, one run or many."""

from redyn.simulation.batch import Batch, simulate_batch
from redyn.simulation.forces import Stops
from redyn.simulation.pushes import Push
from redyn.simulation.result import Energy, Run
from redyn.simulation.run import SimulationError, simulate
from redyn.simulation.tracking import tracked

__all__ = ["Batch", "Energy", "Push", "Run", "SimulationError", "Stops", "simulate", "simulate_batch", "tracked"]
