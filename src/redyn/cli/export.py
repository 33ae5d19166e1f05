"""redyn export: source code that computes the dynamics without redyn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redyn.cli.options import ROBOT_HELP, Force, Trusted, Unphysical, listed, working
from redyn.errors import InputError


def export(
    robot: Annotated[str, typer.Argument(help=ROBOT_HELP)],
    lang: Annotated[str, typer.Option(help="c, python, js, or ros2 (a package for ros2_control).")] = "c",
    what: Annotated[
        str,
        typer.Option(
            help="Comma-separated list of inverse, forward, mass, coriolis, gravity, friction, kinematics, and every "
            "name that `robot.operation_count` takes: jacobian, regressor, inverse_dynamics_derivatives ... (with "
            "closed loops also transmission, loop_error, projection ...)"
        ),
    ] = "inverse,forward,mass,coriolis,gravity",
    out: Annotated[Path, typer.Option(help="Folder for the files; created if missing.")] = Path(),
    real: Annotated[str, typer.Option(help="double, or float (C and ros2).")] = "double",
    name: Annotated[str | None, typer.Option(help="Name used in files and functions; default: the robot's.")] = None,
    link: Annotated[str | None, typer.Option(help="Frame for kinematics and Jacobians; default: the last.")] = None,
    gravity: Annotated[bool, typer.Option("--gravity", help="Make gravity an argument.")] = False,
    payload: Annotated[bool, typer.Option("--payload", help="Make a payload an argument.")] = False,
    external: Annotated[
        list[str] | None, typer.Option(metavar="FRAME", help="Make a wrench on this frame an argument; may repeat.")
    ] = None,
    free: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="Make numbers of the robot arguments: `*.mass, link2.a`; see `docs/parameters.md`."
        ),
    ] = None,
    cmake: Annotated[bool, typer.Option("--cmake", help="Add a CMakeLists.txt (C; ros2 has one).")] = False,
    force: Force = False,
    no_friction: Annotated[bool, typer.Option("--no-friction", help="Leave friction out.")] = False,
    allow_unphysical: Unphysical = False,
    trust: Trusted = None,
) -> None:
    """Write the dynamics as dependency-free source: C99 with a header and a self-test, a Python or JavaScript module.

    It performs the operations of redyn's own kernels. The C code allocates nothing, keeps no state and compiles
    without warnings; the Python needs only the standard library, and takes batches if NumPy is installed; the
    JavaScript runs in browsers and Node. A package for ros2_control has the dynamics as C++ headers, and a plugin for
    gravity compensation and computed torque.

    Example: redyn export puma --lang c --what inverse,forward --out puma-c

    Example: redyn export two-link --lang js --what forward,mass --free "*.mass, link2.a"

    Example: redyn export puma --lang ros2 --out puma_dynamics
    """
    from redyn.robot import load
    from redyn.symbolic.export import export_c, export_javascript, export_python, export_ros2

    if lang not in ("c", "python", "js", "ros2"):
        raise InputError(f"--lang: expected c, python, js or ros2, got {lang!r}")
    if lang == "ros2" and (gravity or payload or external or free):
        raise InputError(
            "--gravity, --payload, --external and --free: not with ros2, whose controller has none of them"
        )
    if real not in ("double", "float"):
        raise InputError(f"--real: expected double or float, got {real!r}")
    if lang in ("python", "js") and real == "float":
        raise InputError("--real float is for --lang c and ros2; numbers of Python and JavaScript are doubles")
    loaded = load(robot, friction=not no_friction, allow_unphysical=allow_unphysical, trust=trust)
    if free is not None:
        loaded = loaded.free(*(listed(free) or []))
    frames = external or []
    with working("tracing") as say:
        if lang == "c":
            written = export_c(
                loaded, what, out, real=real, name=name, link=link,
                gravity=gravity, payload=payload, external=frames, cmake=cmake, force=force, tick=say,
            )  # fmt: skip
        elif lang == "ros2":
            written = export_ros2(loaded, out, what=what, real=real, name=name, link=link, force=force, tick=say)
        else:
            module = export_python if lang == "python" else export_javascript
            written = module(
                loaded, what, out, name=name, link=link,
                gravity=gravity, payload=payload, external=frames, force=force, tick=say,
            )  # fmt: skip
    for path in written:
        print(f"wrote {path}")
    if lang == "ros2" or (lang == "c" and cmake):
        print(f"to check: cmake -S {out} -B build && cmake --build build && ctest --test-dir build")
    elif lang == "c":
        files = " ".join(str(path) for path in written[1:])
        print(f"to check: cc -std=c99 -O2 {files} -lm -o selftest && ./selftest")
    else:
        print(f"to check: {'python' if lang == 'python' else 'node'} {written[0]}")
