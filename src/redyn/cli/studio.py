"""redyn studio: the web application."""

from __future__ import annotations

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
    limit: Annotated[float, typer.Option(help="Time limit of one simulation or derivation, in seconds.")] = 300.0,
) -> None:
    """Open the studio in a browser: the robot in 3D, its motion, its torques and its equations.

    Example: redyn studio puma

    Example: redyn studio arm.urdf --port 9000 --no-browser
    """
    try:
        import nicegui  # pyright: ignore[reportUnusedImport] # noqa: F401
    except ImportError:
        raise MissingExtraError("nicegui", "ui", "The studio") from None
    from redyn.studio.app import serve

    serve(robot, host, port, browser, token, limit)
