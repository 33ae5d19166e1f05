"""The command `redyn`: collects the subcommands and prints errors as one line."""

from __future__ import annotations

import sys
import warnings
from typing import Annotated, Any

import typer

from redyn.cli import (
    bench,
    cache,
    check,
    count,
    demo,
    dh,
    doctor,
    equations,
    export,
    identify,
    listing,
    page,
    reproduce,
    show,
    simulate,
    studio,
    sweep,
    torque,
    verify,
    vibrate,
    walk,
)
from redyn.cli.ground import GroundCommand
from redyn.cli.interrupt import Commands, leave
from redyn.cli.sweep import SweepCommand
from redyn.errors import RedynError, RedynWarning
from redyn.version import __version__

app = typer.Typer(
    name="redyn",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"redyn {__version__}")
        raise typer.Exit


@app.callback()
def _options(  # pyright: ignore[reportUnusedFunction]
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Recursive robot dynamics by the DeNOC method.

    Start with `redyn demo` or `redyn show puma`.
    """


app.command("demo")(demo.demo)
app.command("list")(listing.list_robots)
app.command("show")(show.show)
app.command("torque")(torque.torque)
app.command("simulate", cls=GroundCommand)(simulate.simulate)
app.command("equations")(equations.equations)
app.command("page")(page.page)
app.command("studio")(studio.studio)
app.command("count")(count.count)
app.command("dh")(dh.dh)
app.command("export")(export.export)
app.command("excite")(identify.excite)
app.command("identify")(identify.identify)
app.command("parameters")(identify.parameters)
app.command("check", context_settings=check.SETTINGS)(check.check)
app.command("reproduce")(reproduce.reproduce)
app.command("walk")(walk.walk)
app.command("vibrate")(vibrate.vibrate)
app.command("sweep", cls=SweepCommand)(sweep.sweep)
app.command("verify")(verify.verify)
app.command("doctor")(doctor.doctor)
app.command("bench")(bench.bench)
app.command("cache")(cache.cache)


def run() -> None:
    """Entry point. User errors give exit code 2 and one line on standard error; warnings are one line each."""
    plain = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *rest: Any) -> None:
        if issubclass(category, RedynWarning):
            print(f"redyn: warning: {message}", file=sys.stderr)
        else:
            plain(message, category, *rest)

    warnings.showwarning = show
    try:
        app()
    except RedynError as error:
        print(f"redyn: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt as error:  # before a command started
        leave(error)
    except OSError as error:
        print(f"redyn: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        raise SystemExit(2) from None
