"""redyn bench: speed of redyn and its peers, measured in one run."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from redyn import files
from redyn.cli.options import Force, progress_bar, wide_console, working
from redyn.errors import InputError
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.bench.ground import GroundRow
    from redyn.bench.loops import LoopRow


def bench(
    robots: Annotated[list[str] | None, typer.Argument(help="Robots to time; default: all available ones.")] = None,
    algorithm: Annotated[list[str] | None, typer.Option(help="Only this algorithm; may be repeated.")] = None,
    seconds: Annotated[float, typer.Option(help="Time for each robot and algorithm.")] = 3.0,
    out: Annotated[Path | None, typer.Option(help="Save the measurements (JSON).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    force: Force = False,
) -> None:
    """Time redyn and the installed peers, interleaved in one run, best of many repeats.

    Robots come from the package example-robot-data (ur5, panda, talos, hyq; hyq-free, g1-free, talos-free
    on a floating base) and the library. Friction is off; batches
    are (4096, n) arrays, one thread, with checks and without out=; peers get arrays in their fastest layout.

    `redyn bench calls ROBOT...` times what a call costs from Python, one state and small batches, with its keywords.

    `redyn bench simulate` times simulation instead: steps against MuJoCo's, a free fall against SciPy's solve_ivp.

    `redyn bench loops ROBOT...` times closed loops: batches, single calls and runs, against Pinocchio's
    constraintDynamics and MuJoCo's connect, with the gap that the latter leaves. --seconds 0.5 gives a quick look.

    `redyn bench ground ROBOT...` drops robots (hyq, solo12, g1) that hold a pose on the ground, against MuJoCo: time
    per simulated second, with the longest step of each that is accurate enough.

    `redyn bench flexible ROBOT...` times robots with flexible links, beside Pinocchio with a chain of rods for each.

    `redyn bench parameters ROBOT...` times robots of different masses in one call, beside states of one robot.

    `redyn bench sweep ROBOT` times sweeps on one core: a million inverse dynamics with masses that vary, and
    simulations, as ratios to plain loops over batched calls; and what a shard costs by itself.

    `redyn bench jax ROBOT...` times redyn inside JAX, with gradients and the time to compile, beside frax, adam and
    MJX where these are installed.

    Example: redyn bench ur5 --seconds 5

    Example: redyn bench calls ur5 panda arm.urdf

    Example: redyn bench simulate

    Example: redyn bench loops four-bar stewart

    Example: redyn bench ground hyq

    Example: redyn bench sweep puma

    Example: redyn bench jax ur5 --seconds 1

    Example: redyn bench ur5 panda --algorithm inverse_dynamics --out speed.json
    """
    from redyn.bench.compare import ALGORITHMS, available, compare

    files.check_all([("--out", out, files.JSON)], force)
    if robots == ["simulate"]:
        _simulation(seconds, out, as_json, force)
        return
    if robots and robots[0] == "calls":
        _calls(robots[1:] or ["ur5", "panda"], seconds, out, as_json, force)
        return
    if robots and robots[0] == "loops":
        _loops(robots[1:], seconds, out, as_json, force)
        return
    if robots and robots[0] == "ground":
        _ground(robots[1:], seconds, out, as_json, force)
        return
    if robots and robots[0] == "sweep":
        _sweep(robots[1:], out, as_json, force)
        return
    if robots and robots[0] == "flexible":
        _flexible(robots[1:], seconds, out, as_json, force)
        return
    if robots and robots[0] == "parameters":
        _parameters(robots[1:], seconds, out, as_json, force)
        return
    if robots and robots[0] == "jax":
        _jax(robots[1:], seconds, out, as_json, force)
        return
    chosen, wanted = robots or available(), algorithm or list(ALGORITHMS)
    for name in wanted:
        if name not in ALGORITHMS:
            raise InputError(f"--algorithm: expected one of {', '.join(ALGORITHMS)}, got {name!r}")
    _check(seconds)
    with _stages(len(chosen) * len(wanted)) as tick:
        report = compare(chosen, wanted, seconds, tick)
    if _saved(report.to_data(), out, as_json, force):
        return
    rate = report.multiply_adds_per_second * report.lanes / 1e9
    console = wide_console()
    console.print(
        f"{report.processor}, {counted(report.lanes, 'lane')}, {counted(report.cores, 'core')}, {rate:.1f} G "
        "multiply-adds/s on one core.\n"
        "Nanoseconds per state, best of many, interleaved; public calls, checks on, friction off.",
        highlight=False,
    )
    heads = ("robot", "algorithm", "call", "redyn", "pinocchio", "ratio", "mujoco", "toolbox", "mul + add", "x bound")
    table = Table(*heads, box=None, header_style="bold")
    for row in report.rows:

        def shown(value: float | None, digits: int = 1) -> str:
            return "" if value is None else f"{value:.{digits}f}"

        table.add_row(
            f"{row.robot} ({row.dof})",
            row.algorithm,
            f"{row.call}, {row.states}",
            shown(row.redyn),
            shown(row.pinocchio, 0),
            shown(row.ratio),
            shown(row.mujoco, 0),
            shown(row.toolbox, 0),
            f"{row.multiplications} + {row.additions}",
            shown(row.over_bound),
        )
    console.print(table)


@contextmanager
def _stages(total: int) -> Generator[Callable[[str], None]]:
    """A progress bar; yields a function that is given the label of the present stage."""
    with progress_bar() as progress:
        job = progress.add_task("starting", total=total)
        seen: list[str] = []

        def tick(label: str) -> None:
            if label not in seen:
                seen.append(label)
                progress.update(job, description=label, completed=len(seen) - 1)

        yield tick


def _check(seconds: float) -> None:
    if not 0 < seconds < 3600:
        raise InputError(f"--seconds: expected a positive number, got {seconds}")


def _saved(data: object, out: Path | None, as_json: bool, force: bool) -> bool:
    """Write the measurements to a file or print them, as asked; whether they have been printed."""
    text = json.dumps(data, indent=2)
    if out is not None:
        files.write(out, text + "\n", files.JSON, force)
    if as_json:
        print(text)
    return as_json


def _calls(robots: list[str], seconds: float, out: Path | None, as_json: bool, force: bool) -> None:
    from redyn.bench.calls import compare_calls

    _check(seconds)
    with working("starting") as say:
        rows = compare_calls(robots, seconds, say)
    if _saved([asdict(row) | {"redyn_over_pinocchio": row.share} for row in rows], out, as_json, force):
        return
    names = list(dict.fromkeys(name for row in rows for name in row.keywords))
    heads = (
        "robot",
        "call",
        "states",
        "redyn (ns)",
        "pinocchio (ns)",
        "share",
        "times",
        *(f"{name}=" for name in names),
    )
    table = Table(*heads, box=None, header_style="bold")
    for row in rows:
        theirs = ("", "", "")
        if row.pinocchio is not None and row.share is not None:
            theirs = (f"{row.pinocchio:.0f}", f"{row.share:.2f}", f"{1 / row.share:.1f}")
        longer = (f"{row.keywords[name]:+.0f}" if name in row.keywords else "" for name in names)
        robot = f"{row.robot} ({row.dof})"
        table.add_row(robot, row.algorithm, str(row.states), f"{row.redyn:.0f}", *theirs, *longer)
    console = wide_console()
    console.print(
        "Nanoseconds per state, best of many, interleaved; float64 arrays, checks on, friction off, one thread.\n"
        "share: redyn's time over Pinocchio's; times: the inverse; the last columns: what a keyword adds to one call.",
        highlight=False,
    )
    console.print(table)


def _simulation(seconds: float, out: Path | None, as_json: bool, force: bool) -> None:
    from redyn.bench.rollouts import compare_simulation

    _check(seconds)
    with working("starting") as say:
        rows = compare_simulation(seconds, say)
    if _saved([asdict(row) | {"ratio": row.ratio} for row in rows], out, as_json, force):
        return
    table = Table("what", "robot", "redyn (ns)", "peer", "theirs (ns)", "ratio", "included", box=None)
    for row in rows:
        theirs = ("", "") if row.theirs is None or row.ratio is None else (f"{row.theirs:.0f}", f"{row.ratio:.1f}")
        table.add_row(row.what, row.robot, f"{row.redyn:.0f}", row.peer, *theirs, row.note)
    wide_console().print(table)


def _loops(robots: list[str], seconds: float, out: Path | None, as_json: bool, force: bool) -> None:
    from redyn.bench.loops import ROBOTS, STAGES, compare_loops

    _check(seconds)
    chosen = robots or list(ROBOTS)
    with _stages(len(chosen) * len(STAGES)) as tick:
        report = compare_loops(chosen, seconds, tick)
    if _saved(report.to_data(), out, as_json, force):
        return
    rows = report.rows
    console = wide_console()
    console.print(
        f"{report.processor}, {counted(report.lanes, 'lane')}. Nanoseconds per state, best of many, interleaved; "
        "public calls, checks on, friction off, one thread.\n"
        "forward, inverse, project (one Newton step back to closed loops): batches of 4096; one forward, one inverse: "
        "single calls.\n"
        "Pinocchio: a call of constraintDynamics, which has no batches, with a pin held at two points and, where that "
        "is enough, at one.\n"
        "ratio: its quicker call over a state of a batch; single: over a single call.",
        highlight=False,
    )
    console.print(_dynamics_table(rows))
    console.print(
        "\nRuns in steps of 1 ms, nanoseconds per step and motion: simulate_batch of 4096 motions; MuJoCo's mj_step, "
        "one motion, with\nconnect at its default softness. opens by: the widest gap during a second.",
        highlight=False,
    )
    console.print(_runs_table(rows))


def _ground(robots: list[str], seconds: float, out: Path | None, as_json: bool, force: bool) -> None:
    from redyn.bench.ground import DROP, DURATION, MANY, REFERENCE, STAGES, available, compare_ground

    _check(seconds)
    chosen = robots or available()
    with _stages(len(chosen) * len(STAGES)) as tick:
        report = compare_ground(chosen, seconds, tick)
    if _saved(report.to_data(), out, as_json, force):
        return
    console = wide_console()
    console.print(
        f"{report.processor}, {counted(report.lanes, 'lane')}, one thread. Robots held by PD controllers drop by "
        f"{DROP * 1e3:.0f} mm and stand; {DURATION:g} s.\n"
        f"Each program takes its longest step for which the height of the base stays within {report.bound * 1e3:g} mm, "
        f"at all times, of its own result by RK4 with steps of {REFERENCE * 1e6:g} us.\n"
        f"redyn: simulate_batch of {MANY} motions, the quicker of rk4 and rkc, ground and controllers in the kernel, "
        "slip 0.05 m/s, else the default ground.\n"
        "MuJoCo: mj_step of one motion, spheres on a plane, position servos, its default contact; the quickest of "
        "Euler, implicitfast and RK4.",
        highlight=False,
    )
    console.print(_ground_table(report.rows))
    console.print(
        "\nAt the end of a run by dopri5 with rtol 1e-9: how deep the deepest contact is, the normal forces over the "
        "weight, and the worst error of the energy balance.\n"
        "feet: what contacts add to the forward dynamics, batches of 4096.",
        highlight=False,
    )
    table = Table("robot", "contacts", "feet", "sink", "carried", "balance", box=None, header_style="bold")
    for row in report.rows:
        shown = f"{row.feet:+.0%}", f"{row.sink * 1e3:.2f} mm", f"{row.carried:.5f}", f"{row.balance:.0e} J"
        table.add_row(row.robot, str(row.contacts), *shown)
    console.print(table)


def _sweep(robots: list[str], out: Path | None, as_json: bool, force: bool) -> None:
    from redyn.bench.sweep import ROBOT, STAGES, measure_sweeps

    if len(robots) > 1:
        raise InputError("bench sweep: give one robot")
    with _stages(len(STAGES)) as tick:
        report = measure_sweeps((robots or [ROBOT])[0], tick=tick)
    if _saved(report.to_data(), out, as_json, force):
        return
    console = wide_console()
    console.print(
        f"{report.processor}, {counted(report.lanes, 'lane')}, one core. Sweeps draw, compute and write Parquet files; "
        "plain: the same calls alone, on arrays that are there.\n"
        f"Seconds of processor time; elapsed: by the clock. A shard costs {report.overhead * 1e3:.1f} ms by itself"
        f"{'' if report.memory is None else f'; {report.memory:.0f} MB of memory at most'}.",
        highlight=False,
    )
    heads = (
        "what",
        "samples",
        "sweep",
        "of it drawing",
        "plain",
        "elapsed",
        "ratio",
        "samples/s",
        "1e9 samples (core hours)",
    )
    table = Table(*heads, box=None, header_style="bold")
    for row in report.rows:
        times = (f"{x:.2f}" for x in (row.sweep, row.drawing, row.plain, row.elapsed))
        costs = f"{row.ratio:.1f}", f"{row.rate:,.0f}", f"{1e9 / row.rate / 3600:.2g}"
        table.add_row(row.what, f"{row.samples:,}", *times, *costs)
    console.print(table)


def _flexible(robots: list[str], seconds: float, out: Path | None, as_json: bool, force: bool) -> None:
    from redyn.bench.flexible import DURATION, METHODS, ROBOTS, RODS, RTOL, compare_flexible

    _check(seconds)
    chosen = robots or list(ROBOTS)
    with _stages(len(chosen)) as tick:
        report = compare_flexible(chosen, seconds, tick)
    if _saved(report.to_data(), out, as_json, force):
        return
    console = wide_console()
    console.print(
        f"{report.processor}, {counted(report.lanes, 'lane')}, one thread. Nanoseconds per state of a batch of 4096, "
        "best of many; one: a single call.\n"
        f"Pinocchio: its batch call of forward dynamics with {RODS} rigid rods for each flexible link.\n"
        f"Runs of {DURATION:g} s, rtol {RTOL:g}, in milliseconds; radau is SciPy's.",
        highlight=False,
    )
    heads = ("robot", "forward", "inverse", "derivatives", "one", "rods", "Pinocchio", "ratio", *METHODS)
    table = Table(*heads, box=None, header_style="bold")
    for row in report.rows:
        times = (f"{x:.0f}" for x in (row.forward, row.inverse, row.derivatives, row.single))
        peer = ("", "", "")
        if row.ratio is not None and row.pinocchio is not None:
            peer = (str(row.rods_dof), f"{row.pinocchio:.0f}", f"{row.ratio:.0f}")
        table.add_row(f"{row.robot} ({row.dof})", *times, *peer, *(f"{row.runs[m]:.2f}" for m in METHODS))
    console.print(table)


def _parameters(robots: list[str], seconds: float, out: Path | None, as_json: bool, force: bool) -> None:
    from redyn.bench.parameters import ROBOTS, compare_parameters

    _check(seconds)
    chosen = robots or list(ROBOTS)
    with _stages(len(chosen)) as tick:
        report = compare_parameters(chosen, seconds, tick)
    if _saved(report.to_data(), out, as_json, force):
        return
    console = wide_console()
    console.print(
        f"{report.processor}, {counted(report.lanes, 'lane')}, one thread. Nanoseconds per state of a batch of 4096, "
        "best of many.\n"
        "one robot: many states of it; masses: another mass of every link in every state; all: ten numbers per link.\n"
        "rebuilt: milliseconds to build one robot for its numbers and ask it once.",
        highlight=False,
    )
    table = Table("robot", "call", "one robot", "masses", "ratio", "all", "ratio", "rebuilt", box=None)
    for row in report.rows:
        times = f"{row.fixed:.1f}", f"{row.masses:.1f}", f"{row.masses_ratio:.2f}"
        more = f"{row.everything:.1f}", f"{row.everything_ratio:.2f}", f"{row.rebuilt / 1e6:.1f}"
        table.add_row(f"{row.robot} ({row.dof})", row.call, *times, *more)
    console.print(table)


def _jax(robots: list[str], seconds: float, out: Path | None, as_json: bool, force: bool) -> None:
    from redyn.bench.inside_jax import GRADIENT, ROBOTS, STAGES, compare_jax

    _check(seconds)
    chosen = robots or list(ROBOTS)
    with _stages(len(chosen) * (1 + len(STAGES))) as tick:
        report = compare_jax(chosen, seconds, tick)
    if _saved(report.to_data(), out, as_json, force):
        return
    console = wide_console()
    console.print(
        f"{report.processor}, {counted(report.lanes, 'lane')}, JAX {report.version} on the CPU, float64, friction off. "
        "Nanoseconds per state, best of many, interleaved, inside `jit`;\nin brackets the seconds until the first call "
        f"can run: tracing, kernels and compiling, nothing cached. {GRADIENT}: of the sum of squared accelerations.",
        highlight=False,
    )
    programs = list(dict.fromkeys(row.program for row in report.rows))
    table = Table("robot", "algorithm", "states", *programs, box=None, header_style="bold")
    lines: dict[tuple[str, str, int], dict[str, str]] = {}
    for row in report.rows:
        compiled = "" if row.compile_seconds is None else f" ({row.compile_seconds:.2f})"
        digits = 0 if row.nanoseconds >= 100 else 1
        shown = f"{row.nanoseconds:.{digits}f}{compiled}"
        lines.setdefault((f"{row.robot} ({row.dof})", row.algorithm, row.states), {})[row.program] = shown
    for (robot, algorithm, states), times in lines.items():
        table.add_row(robot, algorithm, str(states), *(times.get(program, "") for program in programs))
    console.print(table)
    for name, why in report.missing.items():
        console.print(f"{name}: {why}", highlight=False)


def _ground_table(rows: list[GroundRow]) -> Table:
    heads = ("robot", "redyn", "step", "error", "real time", "MuJoCo", "step", "error", "real time", "ratio")
    table = Table(*heads, box=None, header_style="bold")
    for row in rows:
        theirs: tuple[str, ...] = ("", "", "", "", "")
        if row.mujoco is not None and row.ratio is not None:
            m = row.mujoco
            theirs = m.integrator, f"{m.step * 1e3:g} ms", f"{m.error * 1e3:.1g} mm", f"{1 / m.seconds:.1f} x"
            theirs = (*theirs, f"{row.ratio:.1f}")
        ours = row.method, f"{row.step * 1e3:g} ms", f"{row.error * 1e3:.1g} mm", f"{row.real_time:.0f} x"
        table.add_row(f"{row.robot} ({row.dof})", *ours, *theirs)
    return table


def _dynamics_table(rows: list[LoopRow]) -> Table:
    heads = (
        "robot",
        "rows",
        "mobility",
        "forward",
        "inverse",
        "project",
        "one forward",
        "one inverse",
        "two points",
        "one point",
        "ratio",
        "single",
    )
    table = Table(*heads, box=None, header_style="bold")
    for row in rows:
        theirs = [f"{row.pinocchio[way]:.0f}" if way in row.pinocchio else "" for way in ("two points", "one point")]
        ratios = ["" if x is None else f"{x:.{digits}f}" for x, digits in ((row.ratio, 0), (row.single_ratio, 1))]
        ours = (row.forward, row.inverse, row.project)
        table.add_row(
            f"{row.robot} ({row.dof})",
            str(row.rows),
            str(row.mobility),
            *(f"{x:.1f}" for x in ours),
            f"{row.single_forward:.0f}",
            f"{row.single_inverse:.0f}",
            *theirs,
            *ratios,
        )
    return table


def _runs_table(rows: list[LoopRow]) -> Table:
    heads = ("robot", "step", "opens by", "MuJoCo RK4", "opens by", "MuJoCo implicit", "opens by")
    table = Table(*heads, box=None, header_style="bold")

    def opened(gap: float | None) -> str:
        return "diverges" if gap is None else f"{gap * 1e3:.2g} mm"

    for row in rows:
        runs = row.runs
        theirs = [text for name, time in runs.mujoco.items() for text in (f"{time:.0f}", opened(runs.mujoco_gap[name]))]
        table.add_row(f"{row.robot} ({row.dof})", f"{runs.step:.0f}", f"{runs.gap * 1e3:.0e} mm", *theirs)
    return table
