"""The reference of the commands, written from the command line itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from sphinx.application import Sphinx

OPENING = """# Commands

What `redyn COMMAND --help` prints, for all commands. This page is written from the program when the site is built.

"""


def page() -> str:
    """The text of the page, in Markdown."""
    from redyn.cli.main import app

    group: Any = typer.main.get_command(app)
    rows = [f"| [`redyn {name}`](#redyn-{name}) | {_first(command)} |" for name, command in group.commands.items()]
    text = OPENING + "| command | what it does |\n|---|---|\n" + "\n".join(rows) + "\n"
    return text + "".join(_section(name, command) for name, command in group.commands.items())


def _first(command: Any) -> str:
    return " ".join((command.help or "").strip().split("\n\n")[0].split())


def _section(name: str, command: Any) -> str:
    context = command.make_context(f"redyn {name}", [], resilient_parsing=True)
    usage = " ".join([f"redyn {name}", *command.collect_usage_pieces(context)])
    paragraphs = [" ".join(part.split()) for part in (command.help or "").replace("\b", "").split("\n\n")]
    examples = [p.removeprefix("Example:").strip() for p in paragraphs if p.startswith("Example:")]
    said = [p for p in paragraphs if not p.startswith("Example:")]
    made = f"\n## redyn {name}\n\n" + "\n\n".join(_escaped(p) for p in said) + "\n\n"
    made += "```console\n" + "\n".join([usage, *(f"$ {x}" for x in examples)]) + "\n```\n"
    rows = [row for parameter in command.params if (row := _row(parameter, context))]
    if rows:
        made += "\n| argument or option | meaning |\n|---|---|\n" + "\n".join(rows) + "\n"
    return made


def _row(parameter: Any, context: Any) -> str:
    if parameter.name == "help" or getattr(parameter, "hidden", False):
        return ""
    shown, said = parameter.get_help_record(context)
    return f"| `` {_cell(shown)} `` | {_cell(_escaped(said))} |"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _escaped(text: str) -> str:
    """Signs of Markdown mean themselves outside backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if k % 2 else re.sub(r"([*_<\[\]$])", r"\\\1", part) for k, part in enumerate(parts))


def _write(app: Sphinx) -> None:
    target = Path(app.srcdir, "_generated", "commands.md")
    target.parent.mkdir(exist_ok=True)
    text = page()
    if not target.exists() or target.read_text("utf-8") != text:
        target.write_text(text, "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", _write, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
