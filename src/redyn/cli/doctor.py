"""redyn doctor: faults of robot files, for people and for continuous integration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from redyn import files
from redyn.cli.options import Force, Trusted, arguments_of, plain_console, working
from redyn.errors import InputError
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.verify.doctor import Diagnosis, Finding

COLOURS = {"error": "bold red", "warning": "yellow", "note": "cyan"}
FEW = 8  # findings of one kind that are listed in full


def doctor(
    robots: Annotated[list[str], typer.Argument(metavar="FILE...", help="Robot files, or library names.")],
    fix: Annotated[Path | None, typer.Option(metavar="OUT", help="Write a corrected URDF.")] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write a page: the robot, its ellipsoids of inertia, all faults.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one line per file.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Fail on warnings too.")] = False,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="CODE", help="Leave these findings out; repeatable.")
    ] = None,
    programs: Annotated[bool, typer.Option(help="Ask Pinocchio, MuJoCo, Drake and the Robotics Toolbox.")] = True,
    every: Annotated[bool, typer.Option("--all", help="List every finding; otherwise eight of a kind.")] = False,
    argument: Annotated[
        list[str] | None, typer.Option("--arg", metavar="NAME=VALUE", help="An argument of a xacro file; repeatable.")
    ] = None,
    force: Force = False,
    trust: Trusted = None,
) -> None:
    """Examine robot files: impossible or suspicious masses and inertias, limits, joints, meshes, unconnected links.

    Errors are what no robot can have, or what programs refuse; warnings are probably not meant. Every finding names the
    link or joint, the field and the line. The exit code is 0 without errors, 1 with errors (with --strict, also with
    warnings), 2 if a file cannot be opened.

    Example: redyn doctor arm.urdf

    Example: redyn doctor arm.urdf --html arm.html

    Example: redyn doctor arm.urdf --fix corrected.urdf

    Example: redyn doctor robot.urdf.xacro --arg side=left

    Example: redyn doctor urdf/*.urdf --json --strict --ignore root-mass

    --fix repairs what has one plausible repair: signs, exchanged limits, degrees, units, inertias that no body has (by
    those of a solid of the link's shapes and mass). A comment in the new file marks each change.
    """
    from redyn.verify.doctor import doctor as examine

    given = arguments_of(argument)
    for name, path in (("--fix", fix), ("--html", html)):
        if path is not None and len(robots) > 1:
            raise InputError(f"{name}: give one robot file, got {len(robots)}")
    files.check_all([("--html", html, files.HTML), ("--fix", fix, files.URDF)], force)
    sick = False
    with working("reading") as say:
        for source in robots:

            def tick(text: str, name: str = Path(source).name) -> None:
                say(f"{name}: {text}")

            found = examine(
                source, programs=programs, ignore=ignore or (), arguments=given, trust=trust, tick=tick
            )  # fmt: skip
            repaired: list[Finding] = []
            after: Diagnosis | None = None
            if fix is not None:
                from redyn.verify.doctor.repair import repair

                repaired, after = repair(source, fix, arguments=given, trust=trust, force=force, tick=tick)
            if html is not None:
                tick("writing the page")
                found.write(html, force)
            judged = found if after is None else after
            sick = sick or bool(judged.errors) or (strict and bool(judged.warnings))
            if as_json:
                print(json.dumps(found.data() | _repairs(repaired, after), allow_nan=False), flush=True)
            else:
                _print(found, every)
                if after is not None and fix is not None:
                    _print_repairs(repaired, after, fix)
                if html is not None:
                    print(f"wrote {html}")
    if sick:
        raise typer.Exit(1)


def _repairs(repaired: list[Finding], after: Diagnosis | None) -> dict[str, Any]:
    if after is None:
        return {}
    return {"repaired": [finding.data() for finding in repaired], "left": [f.data() for f in after.findings]}


def _print(found: Diagnosis, every: bool) -> None:
    console = plain_console(soft_wrap=True)
    console.print(Text.assemble((found.name, "bold"), f"  {found.kind}, {found.source}"))
    seen: dict[str, int] = {}
    for finding in found.findings:
        seen[finding.code] = seen.get(finding.code, 0) + 1
        if seen[finding.code] > FEW and not every:
            continue
        line = "" if finding.line is None else f"line {finding.line}, "
        head = Text.assemble((finding.severity, COLOURS[finding.severity]), f"  {line}{finding.where}  ")
        console.print(head.append(f"[{finding.code}]", "dim"))
        console.print(f"    {finding.what}" + (f"; {finding.right}" if finding.right else ""))
    for code, count in seen.items():
        if count > FEW and not every:
            console.print(f"    and {count - FEW} more of [{code}]; --all lists them")
    for opinion in found.programs:
        console.print(Text.assemble((f"{opinion.program} {opinion.version} ", "bold"), opinion.verdict))
        if opinion.why:
            console.print(f"    because of {opinion.why}")
    counts = ((found.errors, "error"), (found.warnings, "warning"), (found.notes, "note"))
    console.print(Text(", ".join(counted(len(some), name) for some, name in counts), "bold"))


def _print_repairs(repaired: list[Finding], after: Diagnosis, path: Path) -> None:
    console = plain_console(soft_wrap=True)
    console.print(Text(f"\nwrote {path}", "bold"))
    for finding in repaired:
        console.print(f"    {finding.where}: {finding.repairs[0].does}")
    left = f"{counted(len(after.errors), 'error')}, {counted(len(after.warnings), 'warning')}"
    console.print(f"    left in the new file: {left}")
