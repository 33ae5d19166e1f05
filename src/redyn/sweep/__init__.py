"""Sweeps: many samples of a robot, its parameters and states, computed in shards anywhere and never lost.

    run(spec, folder)     compute what is missing: serially, by processes, on a Dask cluster, or one part of an array
    open(folder)          the results: to pandas, Arrow, DuckDB or Zarr, summaries, one HTML report
    run_shard(spec, k)    one shard as an Arrow table, a pure function
    status(folder)        how much is done

>>> import redyn, tempfile
>>> plan = {"robot": "two-link", "samples": 100, "shard": 40, "seed": 1, "run": {"call": "inverse_dynamics"},
...         "vary": {"*.mass": {"normal": [1, 0.1], "relative": "factor"}, "q": {"uniform": ["-pi", "pi"]}}}
>>> done = redyn.sweep.run(plan, tempfile.mkdtemp())
>>> done.samples, done.failed, done.to_arrow().column_names[-3:]
(100, 0, ['tau.joint1', 'tau.joint2', 'failure'])
"""

from redyn.sweep.distributions import Choice, Distribution, Grid, LogUniform, Normal, Rotation, Sobol, Uniform
from redyn.sweep.plan import Spec, spec
from redyn.sweep.result import Result, open, status
from redyn.sweep.running import run
from redyn.sweep.shard import run_shard

__all__ = [
    "Choice",
    "Distribution",
    "Grid",
    "LogUniform",
    "Normal",
    "Result",
    "Rotation",
    "Sobol",
    "Spec",
    "Uniform",
    "open",
    "run",
    "run_shard",
    "spec",
    "status",
]
