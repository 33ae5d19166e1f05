"""Ctrl-C on the command line: exit code 130, and one line that says what is complete and what is not."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

from typer.core import TyperGroup

from redyn import files

SHOWN = 5  # files named in the message


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in a command that can report the state of its work."""


class Commands(TyperGroup):
    """The subcommands. Interrupts are handled here, since Typer's own handling depends on its version."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            leave(error)
        except EOFError as error:  # Typer would treat it as Ctrl-D at a prompt; redyn never prompts
            raise RuntimeError("unexpected end of a file") from error


def leave(error: KeyboardInterrupt) -> NoReturn:
    """Print a message and exit with the code of an interrupted program."""
    named = ", ".join(str(path) for path in files.written[:SHOWN])
    more = len(files.written) - SHOWN
    complete = f"; complete: {named}{f' and {more} more' if more > 0 else ''}" if named else "; nothing was written"
    print(f"redyn: {error if isinstance(error, Interrupted) else f'interrupted{complete}'}", file=sys.stderr)
    raise SystemExit(130)
