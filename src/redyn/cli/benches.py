"""The kinds of `redyn bench`: what each measures, as data and as tables to read."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, NamedTuple

from rich.table import Table

from redyn.cli.options import progress_bar, working
from redyn.errors import InputError
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.bench.ground import GroundRow
    from redyn.bench.loops import LoopRow


class Measured(NamedTuple):
    """Measurements: data for a program, paragraphs and tables for people."""

    data: object
    shown: list[str | Table]


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


def _table(*heads: str) -> Table:
    return Table(*heads, box=None, header_style="bold")


def _digits(value: float | None, digits: int = 1) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def batches(robots: list[str], algorithms: list[str], seconds: float) -> Measured:
    from redyn.bench.compare import ALGORITHMS, available, compare

    chosen, wanted = robots or available(), algorithms or list(ALGORITHMS)
    for name in wanted:
        if name not in ALGORITHMS:
            raise InputError(f"--algorithm: expected one of {', '.join(ALGORITHMS)}, got {name!r}")
    with _stages(len(chosen) * len(wanted)) as tick:
        report = compare(chosen, wanted, seconds, tick)
    rate = report.multiply_adds_per_second * report.lanes / 1e9
    said = (
        f"{report.processor}, {counted(report.lanes, 'lane')}, {counted(report.cores, 'core')}, {rate:.1f} G "
        "multiply-adds/s on one core.\n"
        "Nanoseconds per state, best of many, interleaved; public calls, checks on, friction off."
    )
    heads = ("robot", "algorithm", "call", "redyn", "pinocchio", "ratio", "mujoco", "toolbox", "mul + add", "x bound")
    table = _table(*heads)
    for row in report.rows:
        table.add_row(
            f"{row.robot} ({row.dof})",
            row.algorithm,
            f"{row.call}, {row.states}",
            _digits(row.redyn),
            _digits(row.pinocchio, 0),
            _digits(row.ratio),
            _digits(row.mujoco, 0),
            _digits(row.toolbox, 0),
            f"{row.multiplications} + {row.additions}",
            _digits(row.over_bound),
        )
    return Measured(report.to_data(), [said, table])


def calls(robots: list[str], seconds: float) -> Measured:
    from redyn.bench.calls import compare_calls

    with working("starting") as say:
        rows = compare_calls(robots or ["ur5", "panda"], seconds, say)
    names = list(dict.fromkeys(name for row in rows for name in row.keywords))
    heads = ("robot", "call", "states", "redyn (ns)", "pinocchio (ns)", "share", "times")
    table = _table(*heads, *(f"{name}=" for name in names))
    for row in rows:
        theirs = ("", "", "")
        if row.pinocchio is not None and row.share is not None:
            theirs = (f"{row.pinocchio:.0f}", f"{row.share:.2f}", f"{1 / row.share:.1f}")
        longer = (f"{row.keywords[name]:+.0f}" if name in row.keywords else "" for name in names)
        robot = f"{row.robot} ({row.dof})"
        table.add_row(robot, row.algorithm, str(row.states), f"{row.redyn:.0f}", *theirs, *longer)
    said = (
        "Nanoseconds per state, best of many, interleaved; float64 arrays, checks on, friction off, one thread.\n"
        "share: redyn's time over Pinocchio's; times: the inverse; the last columns: what a keyword adds to one call."
    )
    return Measured([asdict(row) | {"redyn_over_pinocchio": row.share} for row in rows], [said, table])


def simulate(robots: list[str], seconds: float) -> Measured:
    from redyn.bench.rollouts import compare_simulation

    if robots:
        raise InputError("bench simulate: its robots are fixed; give none")
    with working("starting") as say:
        rows = compare_simulation(seconds, say)
    table = _table("what", "robot", "redyn (ns)", "peer", "theirs (ns)", "ratio", "included")
    for row in rows:
        theirs = ("", "") if row.theirs is None or row.ratio is None else (f"{row.theirs:.0f}", f"{row.ratio:.1f}")
        table.add_row(row.what, row.robot, f"{row.redyn:.0f}", row.peer, *theirs, row.note)
    return Measured([asdict(row) | {"ratio": row.ratio} for row in rows], [table])


def loops(robots: list[str], seconds: float) -> Measured:
    from redyn.bench.loops import ROBOTS, STAGES, compare_loops

    chosen = robots or list(ROBOTS)
    with _stages(len(chosen) * len(STAGES)) as tick:
        report = compare_loops(chosen, seconds, tick)
    dynamics = (
        f"{report.processor}, {counted(report.lanes, 'lane')}. Nanoseconds per state, best of many, interleaved; "
        "public calls, checks on, friction off, one thread.\n"
        "forward, inverse, project (one Newton step back to closed loops): batches of 4096; one forward, one inverse: "
        "single calls.\n"
        "Pinocchio: a call of constraintDynamics, which has no batches, with a pin held at two points and, where that "
        "is enough, at one.\n"
        "ratio: its quicker call over a state of a batch; single: over a single call."
    )
    runs = (
        "\nRuns in steps of 1 ms, nanoseconds per step and motion: simulate_batch of 4096 motions; MuJoCo's mj_step, "
        "one motion, with\nconnect at its default softness. opens by: the widest gap during a second."
    )
    return Measured(report.to_data(), [dynamics, _dynamics_table(report.rows), runs, _runs_table(report.rows)])


def ground(robots: list[str], seconds: float) -> Measured:
    from redyn.bench.ground import DROP, DURATION, MANY, REFERENCE, STAGES, available, compare_ground

    chosen = robots or available()
    with _stages(len(chosen) * len(STAGES)) as tick:
        report = compare_ground(chosen, seconds, tick)
    speed = (
        f"{report.processor}, {counted(report.lanes, 'lane')}, one thread. Robots held by PD controllers drop by "
        f"{DROP * 1e3:.0f} mm and stand; {DURATION:g} s.\n"
        f"Each program takes its longest step for which the height of the base stays within {report.bound * 1e3:g} mm, "
        f"at all times, of its own result by RK4 with steps of {REFERENCE * 1e6:g} us.\n"
        f"redyn: simulate_batch of {MANY} motions, the quicker of rk4 and rkc, ground and controllers in the kernel, "
        "slip 0.05 m/s, else the default ground.\n"
        "MuJoCo: mj_step of one motion, spheres on a plane, position servos, its default contact; the quickest of "
        "Euler, implicitfast and RK4."
    )
    accuracy = (
        "\nAt the end of a run by dopri5 with rtol 1e-9: how deep the deepest contact is, the normal forces over the "
        "weight, and the worst error of the energy balance.\n"
        "feet: what contacts add to the forward dynamics, batches of 4096."
    )
    table = _table("robot", "contacts", "feet", "sink", "carried", "balance")
    for row in report.rows:
        shown = f"{row.feet:+.0%}", f"{row.sink * 1e3:.2f} mm", f"{row.carried:.5f}", f"{row.balance:.0e} J"
        table.add_row(row.robot, str(row.contacts), *shown)
    return Measured(report.to_data(), [speed, _ground_table(report.rows), accuracy, table])


def sweep(robots: list[str], seconds: float) -> Measured:
    """Its samples are fixed in number, so `seconds` has no say."""
    from redyn.bench.sweep import ROBOT, STAGES, measure_sweeps

    if len(robots) > 1:
        raise InputError("bench sweep: give one robot")
    with _stages(len(STAGES)) as tick:
        report = measure_sweeps((robots or [ROBOT])[0], tick=tick)
    said = (
        f"{report.processor}, {counted(report.lanes, 'lane')}, one core. Sweeps draw, compute and write Parquet files; "
        "plain: the same calls alone, on arrays that are there.\n"
        f"Seconds of processor time; elapsed: by the clock. A shard costs {report.overhead * 1e3:.1f} ms by itself"
        f"{'' if report.memory is None else f'; {report.memory:.0f} MB of memory at most'}."
    )
    times = ("sweep", "of it drawing", "plain", "elapsed")
    table = _table("what", "samples", *times, "ratio", "samples/s", "1e9 samples (core hours)")
    for row in report.rows:
        measured = (f"{x:.2f}" for x in (row.sweep, row.drawing, row.plain, row.elapsed))
        costs = f"{row.ratio:.1f}", f"{row.rate:,.0f}", f"{1e9 / row.rate / 3600:.2g}"
        table.add_row(row.what, f"{row.samples:,}", *measured, *costs)
    return Measured(report.to_data(), [said, table])


def flexible(robots: list[str], seconds: float) -> Measured:
    from redyn.bench.flexible import DURATION, METHODS, ROBOTS, RODS, RTOL, compare_flexible

    chosen = robots or list(ROBOTS)
    with _stages(len(chosen)) as tick:
        report = compare_flexible(chosen, seconds, tick)
    said = (
        f"{report.processor}, {counted(report.lanes, 'lane')}, one thread. Nanoseconds per state of a batch of 4096, "
        "best of many; one: a single call.\n"
        f"Pinocchio: its batch call of forward dynamics with {RODS} rigid rods for each flexible link.\n"
        f"Runs of {DURATION:g} s, rtol {RTOL:g}, in milliseconds; radau is SciPy's."
    )
    table = _table("robot", "forward", "inverse", "derivatives", "one", "rods", "Pinocchio", "ratio", *METHODS)
    for row in report.rows:
        times = (f"{x:.0f}" for x in (row.forward, row.inverse, row.derivatives, row.single))
        peer = ("", "", "")
        if row.ratio is not None and row.pinocchio is not None:
            peer = (str(row.rods_dof), f"{row.pinocchio:.0f}", f"{row.ratio:.0f}")
        table.add_row(f"{row.robot} ({row.dof})", *times, *peer, *(f"{row.runs[m]:.2f}" for m in METHODS))
    return Measured(report.to_data(), [said, table])


def parameters(robots: list[str], seconds: float) -> Measured:
    from redyn.bench.parameters import ROBOTS, compare_parameters

    chosen = robots or list(ROBOTS)
    with _stages(len(chosen)) as tick:
        report = compare_parameters(chosen, seconds, tick)
    said = (
        f"{report.processor}, {counted(report.lanes, 'lane')}, one thread. Nanoseconds per state of a batch of 4096, "
        "best of many.\n"
        "one robot: many states of it; masses: another mass of every link in every state; all: ten numbers per link.\n"
        "rebuilt: milliseconds to build one robot for its numbers and ask it once."
    )
    table = _table("robot", "call", "one robot", "masses", "ratio", "all", "ratio", "rebuilt")
    for row in report.rows:
        times = f"{row.fixed:.1f}", f"{row.masses:.1f}", f"{row.masses_ratio:.2f}"
        more = f"{row.everything:.1f}", f"{row.everything_ratio:.2f}", f"{row.rebuilt / 1e6:.1f}"
        table.add_row(f"{row.robot} ({row.dof})", row.call, *times, *more)
    return Measured(report.to_data(), [said, table])


def jax(robots: list[str], seconds: float) -> Measured:
    from redyn.bench.inside_jax import GRADIENT, ROBOTS, STAGES, compare_jax

    chosen = robots or list(ROBOTS)
    with _stages(len(chosen) * (1 + len(STAGES))) as tick:
        report = compare_jax(chosen, seconds, tick)
    said = (
        f"{report.processor}, {counted(report.lanes, 'lane')}, JAX {report.version} on the CPU, float64, friction off. "
        "Nanoseconds per state, best of many, interleaved, inside `jit`;\nin brackets the seconds until the first call "
        f"can run: tracing, kernels and compiling, nothing cached. {GRADIENT}: of the sum of squared accelerations."
    )
    programs = list(dict.fromkeys(row.program for row in report.rows))
    table = _table("robot", "algorithm", "states", *programs)
    lines: dict[tuple[str, str, int], dict[str, str]] = {}
    for row in report.rows:
        compiled = "" if row.compile_seconds is None else f" ({row.compile_seconds:.2f})"
        shown = _digits(row.nanoseconds, 0 if row.nanoseconds >= 100 else 1) + compiled
        lines.setdefault((f"{row.robot} ({row.dof})", row.algorithm, row.states), {})[row.program] = shown
    for (robot, algorithm, states), times in lines.items():
        table.add_row(robot, algorithm, str(states), *(times.get(program, "") for program in programs))
    return Measured(report.to_data(), [said, table, *(f"{name}: {why}" for name, why in report.missing.items())])


KINDS = {kind.__name__: kind for kind in (calls, simulate, loops, ground, flexible, parameters, sweep, jax)}


def _ground_table(rows: list[GroundRow]) -> Table:
    heads = ("robot", "redyn", "step", "error", "real time", "MuJoCo", "step", "error", "real time", "ratio")
    table = _table(*heads)
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
    batch, single = ("forward", "inverse", "project"), ("one forward", "one inverse")
    table = _table("robot", "rows", "mobility", *batch, *single, "two points", "one point", "ratio", "single")
    for row in rows:
        theirs = [_digits(row.pinocchio.get(way), 0) for way in ("two points", "one point")]
        table.add_row(
            f"{row.robot} ({row.dof})",
            str(row.rows),
            str(row.mobility),
            *(_digits(x) for x in (row.forward, row.inverse, row.project)),
            *(_digits(x, 0) for x in (row.single_forward, row.single_inverse)),
            *theirs,
            _digits(row.ratio, 0),
            _digits(row.single_ratio),
        )
    return table


def _runs_table(rows: list[LoopRow]) -> Table:
    table = _table("robot", "step", "opens by", "MuJoCo RK4", "opens by", "MuJoCo implicit", "opens by")

    def opened(gap: float | None) -> str:
        return "diverges" if gap is None else f"{gap * 1e3:.2g} mm"

    for row in rows:
        runs = row.runs
        theirs = [text for name, time in runs.mujoco.items() for text in (f"{time:.0f}", opened(runs.mujoco_gap[name]))]
        table.add_row(f"{row.robot} ({row.dof})", f"{runs.step:.0f}", f"{runs.gap * 1e3:.0e} mm", *theirs)
    return table
