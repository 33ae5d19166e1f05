"""redyn studio: the web application."""

from __future__ import annotations

from typing import Annotated

import typer

from redyn.cli.options import ROBOT_HELP
from redyn.errors import MissingExtraError


def studio(
    robot: Annotated[str, typer.Argument(help=ROBOT_HELP)] = "kuka-kr5",
    port: Annotated[int | None, typer.Option(help="The first free one from 8080 on unless given.")] = None,
    host: Annotated[
        str, typer.Option(help="Where to listen. Other than this machine alone, it asks for a token that is printed.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open a browser.")] = True,
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

    serve(robot, host, port, browser)
