"""An exercise as a notebook shows it: the task and its questions, without hints and answers."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redyn.exercises.exercise import Exercise, Question


def html_sheet(exercise: Exercise) -> str:
    """HTML of an exercise; all its text is escaped.

    >>> import redyn
    >>> page = html_sheet(redyn.exercises.load("9.6"))
    >>> "Kinetic energy" in page, "1/6" in page
    (True, False)
    """
    source = f"<br><small>{escape(exercise.source)}</small>" if exercise.source else ""
    rows = "".join(_row(question) for question in exercise.questions)
    return (
        f"<p><b>{escape(exercise.name)}: {escape(exercise.title)}</b>{source}</p>"
        f"<p>{escape(exercise.task)}</p>"
        f'<table style="text-align: left"><tbody>{rows}</tbody></table>'
    )


def _row(question: Question) -> str:
    choices = "".join(f"<li>{escape(choice.strip())}</li>" for choice in question.data.choices)
    symbols = "".join(
        f"<br><code>{escape(name)}</code> {escape(meaning)}" for name, meaning in question.data.symbols.items()
    )
    asked = escape(question.ask) + (f"<ol>{choices}</ol>" if choices else symbols)
    name = f'<td style="text-align: left; vertical-align: top"><code>{escape(question.name)}</code></td>'
    return f'<tr>{name}<td style="text-align: left">{asked}<br><small>{escape(question.form)}</small></td></tr>'
