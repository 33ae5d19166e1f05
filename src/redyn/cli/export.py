"""redyn export: source code that computes the dynamics without redyn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redyn.cli.options import ROBOT_HELP, Force, Trusted, Unphysical, working
from redyn.errors import InputError


def export(
    robot: Annotated[str, typer.Argument(help=ROBOT_HELP)],
    lang: Annotated[str, typer.Option(help="c or python.")] = "c",
    what: Annotated[
        str,
        typer.Option(
            help="Comma-separated list of inverse, forward, mass, coriolis, gravity, friction, kinematics, and every "
            "name that `robot.operation_count` takes: jacobian, regressor, inverse_dynamics_derivatives ... (with "
            "closed loops also transmission, loop_error, projection ...)"
        ),
    ] = "inverse,forward,mass,coriolis,gravity",
    out: Annotated[Path, typer.Option(help="Folder for the files; created if missing.")] = Path(),
    real: Annotated[str, typer.Option(help="double, or float (C only).")] = "double",
    name: Annotated[str | None, typer.Option(help="Name used in files and functions; default: the robot's.")] = None,
    link: Annotated[str | None, typer.Option(help="Frame for kinematics and Jacobians; default: the last.")] = None,
    gravity: Annotated[bool, typer.Option("--gravity", help="Make gravity an argument.")] = False,
    payload: Annotated[bool, typer.Option("--payload", help="Make a payload an argument.")] = False,
    external: Annotated[
        list[str] | None, typer.Option(metavar="FRAME", help="Make a wrench on this frame an argument; may repeat.")
    ] = None,
    force: Force = False,
    no_friction: Annotated[bool, typer.Option("--no-friction", help="Leave friction out.")] = False,
    allow_unphysical: Unphysical = False,
    trust: Trusted = None,
) -> None:
    """Write the dynamics as dependency-free source: C99 with a header and a self-test, or one Python module.

    It performs the operations of redyn's own kernels. The C code allocates nothing, keeps no state and compiles
    without warnings; the Python needs only the standard library, and takes batches if NumPy is installed.

    Example: redyn export puma --lang c --what inverse,forward --out puma-c
    """
    from redyn.robot import load
    from redyn.symbolic.export import export_c, export_python

    if lang not in ("c", "python"):
        raise InputError(f"--lang: expected c or python, got {lang!r}")
    if real not in ("double", "float"):
        raise InputError(f"--real: expected double or float, got {real!r}")
    if lang == "python" and real == "float":
        raise InputError("--real float is for --lang c; Python's numbers are doubles")
    loaded = load(robot, friction=not no_friction, allow_unphysical=allow_unphysical, trust=trust)
    frames = external or []
    with working("tracing") as say:
        if lang == "c":
            written = export_c(
                loaded, what, out, real=real, name=name, link=link,
                gravity=gravity, payload=payload, external=frames, force=force, tick=say,
            )  # fmt: skip
        else:
            written = export_python(
                loaded, what, out, name=name, link=link,
                gravity=gravity, payload=payload, external=frames, force=force, tick=say,
            )  # fmt: skip
    for path in written:
        print(f"wrote {path}")
    if lang == "c":
        files = " ".join(str(path) for path in written[1:])
        print(f"to check: cc -std=c99 -O2 {files} -lm -o selftest && ./selftest")
    else:
        print(f"to check: python {written[0]}")
