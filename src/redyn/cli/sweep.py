"""redyn sweep: many samples of a robot, its parameters and states."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.table import Table
from typer.core import TyperCommand

from redyn import files
from redyn.cli.interrupt import Interrupted
from redyn.cli.options import Force, trusting, wide_console
from redyn.errors import InputError

if TYPE_CHECKING:
    from redyn.sweep import Result

DASK, LOCAL = "--dask", "local"
SHOWN = 5  # reasons of failures


class SweepCommand(TyperCommand):
    """A command whose option --dask may come without an address."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given: list[str] = []
        for k, word in enumerate(args):
            given.append(word)
            follows = args[k + 1] if k + 1 < len(args) else ""
            if word == DASK and ":" not in follows and follows != LOCAL:
                given.append(LOCAL)
        return super().parse_args(ctx, given)


def sweep(
    spec: Annotated[Path | None, typer.Argument(help="What to compute: a .yaml or .json file.")] = None,
    out: Annotated[Path | None, typer.Option(help="The folder of the results; what is in it is kept.")] = None,
    workers: Annotated[int, typer.Option(help="Processes on this machine, or workers of a local Dask cluster.")] = 1,
    dask: Annotated[
        str | None,
        typer.Option(DASK, metavar="[ADDRESS]", help="A Dask scheduler, `tcp://host:8786`; alone: a local cluster."),
    ] = None,
    shard: Annotated[
        str | None, typer.Option(metavar="K/N", help="Only the K-th of N parts, K from 1: for arrays of jobs.")
    ] = None,
    resume: Annotated[
        bool, typer.Option(help="Go on with what is in the folder (default); otherwise it must be new.")
    ] = True,
    status: Annotated[Path | None, typer.Option(metavar="DIR", help="Show how much of a sweep is done.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write an HTML page of the results.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Save a figure of the results.")] = None,
    trust: Annotated[
        Literal["code"] | None,
        typer.Option(parser=trusting("code"), metavar="code", help="Run the function that the specification names."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    force: Force = False,
) -> None:
    """Compute many samples of a robot whose parameters and states vary, in shards that are never lost.

    Results are one Parquet file per shard in the folder --out. Whatever ends the command, the same command goes on with
    what is missing, and rows are the same to the last bit whichever way they are computed.

    A specification in YAML:

    \b
        robot: puma
        samples: 100000
        vary:
          "*.mass": {normal: [1, 0.05], relative: factor}
          joint2.damping: {loguniform: [0.1, 10]}
          q: {uniform: [-pi, pi]}
        run: {simulate: {duration: 1.0, step: 0.001}}
        outputs: [final_q, tip]

    Distributions: uniform, normal, loguniform, choice, grid, sobol, rotation. Runs: simulate, inverse (torques along a
    motion), call (any call of a robot, such as mass_matrix), function (module:function, with --trust code).

    Example: redyn sweep puma.yaml --out results --report puma.html

    Example: redyn sweep puma.yaml --out results --workers 8

    Example: redyn sweep puma.yaml --out results --dask tcp://10.0.0.1:8786

    Example: redyn sweep puma.yaml --out results --shard $SLURM_ARRAY_TASK_ID/64

    Example: redyn sweep --status results

    Example: redyn sweep --out results --report puma.html
    """
    from redyn import sweep as sweeps
    from redyn.sweep import status as status_of

    files.check_all([("--report", report, files.HTML), ("--plot", plot, files.PICTURE)], force)
    if status is not None:
        if spec is not None or out is not None:
            raise InputError("--status: give the folder alone")
        _show_status(status_of(status), as_json)
        return
    if out is None:
        raise InputError("--out: name the folder of the results; `redyn sweep --help` has examples")
    if shard is not None and dask is not None:
        raise InputError("--shard and --dask exclude each other: a scheduler hands out all shards")
    if spec is None:
        result = sweeps.open(out)
    else:
        if not resume and out.exists() and any(out.iterdir()):
            raise InputError(f"--no-resume: {out} is not empty")
        try:
            result = sweeps.run(
                spec, out, workers=workers, dask=dask, shard=shard, trust=trust, tell=lambda text: _tell(text)
            )
        except KeyboardInterrupt as interrupt:
            notes = getattr(interrupt, "__notes__", ["nothing was written"])
            raise Interrupted(f"interrupted; {notes[-1].replace('the same call', 'the same command')}") from None
    written = [path for path in (report, plot) if path is not None]
    if report is not None:
        result.html(report, force)
    if plot is not None:
        result.plot(plot, force=force)
    if as_json:
        print(json.dumps(_data(result)))
        return
    _show(result)
    for path in written:
        print(f"wrote {path}")


def _tell(text: str) -> None:
    print(f"redyn sweep: {text}", file=sys.stderr)


def _show_status(found: Any, as_json: bool) -> None:
    if as_json:
        data = {
            "shards": found.shards,
            "done": found.done,
            "samples": found.samples,
            "samples_done": found.samples_done,
            "bytes": found.size,
            "complete": found.complete,
        }
        print(json.dumps(data))
    else:
        print(found)


def _data(result: Result) -> dict[str, Any]:
    status = result.status
    return {
        "folder": str(result.folder),
        "hash": result.spec.hash,
        "shards": status.shards,
        "done": status.done,
        "samples_done": status.samples_done,
        "failures": result.failures(),
    }


def _show(result: Result) -> None:
    print(result.status)
    failures = result.failures()
    if failures:
        table = Table("failed", "reason", box=None)
        for reason, count in list(failures.items())[:SHOWN]:
            table.add_row(f"{count:,}", reason)
        wide_console().print(table)
        if len(failures) > SHOWN:
            print(f"and {len(failures) - SHOWN} other reasons")
