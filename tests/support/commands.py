"""The command line in this process: as a user runs it, without the seconds that a new process takes to import all."""

import contextlib
import io
import sys
import warnings
from typing import NamedTuple
from unittest.mock import patch

from redyn.cli.main import run


class Done(NamedTuple):
    """What a command left: its exit code, and what it printed."""

    code: int
    out: str
    err: str


def command(*arguments) -> Done:
    """`redyn` with these arguments."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        warnings.catch_warnings(),
        patch.object(sys, "argv", ["redyn", *map(str, arguments)]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            run()
        except SystemExit as left:
            code = left.code or 0
    return Done(code, out.getvalue(), err.getvalue())


def printed(*arguments, code=0) -> str:
    """What it prints if all is well; else the mistake that it names, with exit code `code`."""
    done = command(*arguments)
    assert done.code == code, done.err
    assert "Traceback" not in done.err
    return done.out if code == 0 else done.err
