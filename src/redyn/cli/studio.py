"""redyn studio: the web application."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redyn.cli.options import ROBOT_HELP
from redyn.errors import MissingExtraError


def studio(
    robot: Annotated[str, typer.Argument(help=ROBOT_HELP)] = "kuka-kr5",
    port: Annotated[int | None, typer.Option(help="By default the first free port from 8080; 0: any.")] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 admits other machines.")] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open a browser.")] = True,
    token: Annotated[bool, typer.Option(help="Require the token in the printed address.")] = True,
    password: Annotated[
        bool,
        typer.Option(
            help="Require a password instead, such as one for a class: asked for, or that of REDYN_STUDIO_PASSWORD."
        ),
    ] = False,
    password_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Require the password in the first line of this file instead.")
    ] = None,
    limit: Annotated[float, typer.Option(help="Time limit of one simulation or derivation, in seconds.")] = 300.0,
    memory: Annotated[int, typer.Option(help="Memory limit of one simulation or derivation, in MB.")] = 2000,
    jobs: Annotated[int, typer.Option(help="Simulations and derivations of one person that run or wait.")] = 4,
    workers: Annotated[int, typer.Option(help="Simulations and derivations that run at the same time.")] = 2,
) -> None:
    """Open the studio in a browser: the robot in 3D, its motion, its torques and its equations.

    Example: redyn studio puma

    Example: redyn studio arm.urdf --port 9000 --no-browser

    Example: redyn studio --host 0.0.0.0 --password --workers 8
    """
    try:
        import nicegui  # pyright: ignore[reportUnusedImport] # noqa: F401
    except ImportError:
        raise MissingExtraError("nicegui", "ui", "The studio") from None
    from redyn.studio import door
    from redyn.studio.app import serve
    from redyn.studio.jobs import Limits

    chosen = door.chosen(
        password, password_file, lambda: typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    )
    serve(robot, host, port, browser, token, Limits(limit, memory * 1_000_000, jobs, workers), chosen)
