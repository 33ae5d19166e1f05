"""redyn check: exercises, and whether an answer is right."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from redyn.cli.options import bold, wide_console
from redyn.errors import InputError
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.exercises import Exercise, Question, Verdict

SETTINGS = {"ignore_unknown_options": True}  # an answer may begin with a minus sign


def check(
    exercise: Annotated[str | None, typer.Argument(help="An exercise, by its name or as a YAML file.")] = None,
    answers: Annotated[
        list[str] | None,
        typer.Argument(metavar="ANSWER", help="Answers, in the order of the questions or as NAME=ANSWER."),
    ] = None,
    question: Annotated[str | None, typer.Option(help="Only the question with this name.")] = None,
    hint: Annotated[
        int, typer.Option("--hint", count=True, show_default=False, help="Print a hint; again, one more.")
    ] = 0,
    answer: Annotated[bool, typer.Option("--answer", help="Print the answers.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check an answer to an exercise; without an answer print the task, without an exercise list all.

    Exit code: 0 if all answers given are right, 1 if one is wrong, 2 if the input is not understood. A motion is
    answered by a CSV file. docs/exercises.md says how to write an exercise.

    Example: redyn check        Example: redyn check 9.7        Example: redyn check 9.7 --hint --question tau

    Example: redyn check 9.6 "1/6 m1 a1^2 theta_dot1^2"

    Example: redyn check 9.14 hold="[19.6, 4.9] Nm" torques=mine.csv

    Example: redyn check 9.8 --answer        Example: redyn check my-exercise.yaml 42
    """
    from redyn.exercises import load

    if exercise is None:
        _list(as_json)
        return
    loaded = load(exercise)
    chosen = loaded.questions if question is None else [loaded.question(question)]
    if answers:
        given = _assigned(chosen, answers)
        verdicts = [(asked, _checked(asked, text)) for asked, text in given]
        _show_verdicts(loaded, verdicts, as_json)
        if hint or answer:
            _show_help([asked for asked, _ in given], hint, answer)
        if not all(verdict.right for _, verdict in verdicts):
            raise typer.Exit(1)
    elif as_json:
        print(json.dumps(_data(loaded, chosen, hint, answer)))
    elif hint or answer:
        _show_help(chosen, hint, answer)
    else:
        _show_task(loaded, chosen)


def _list(as_json: bool) -> None:
    from redyn.exercises import load, names

    found = [load(name) for name in names()]
    if as_json:
        print(json.dumps([{"name": e.name, "title": e.title, "questions": len(e.questions)} for e in found]))
        return
    table = Table("exercise", "", "questions", box=None, header_style="bold")
    for exercise in found:
        table.add_row(exercise.name, exercise.title, ", ".join(q.name for q in exercise.questions))
    console = wide_console()
    console.print(table)


def _assigned(questions: Sequence[Question], answers: list[str]) -> list[tuple[Question, str]]:
    """Each answer with its question: by name, or in order."""
    known = {question.name: question for question in questions}
    found: dict[str, str] = {}
    for text in answers:
        match = re.match(r"\s*([A-Za-z][\w-]*)\s*=\s*(.*)", text, re.DOTALL)
        if match and match[1] in known:
            name, text = match[1], match[2]
        else:
            free = [name for name in known if name not in found]
            if not free:
                raise InputError(f"{counted(len(answers), 'answer')} for {counted(len(known), 'question')}")
            name = free[0]
        if name in found:
            raise InputError(f"two answers to {name}")
        found[name] = text
    return [(known[name], text) for name, text in found.items()]


def _checked(question: Question, text: str) -> Verdict:
    try:
        return question.check(text)
    except InputError as error:
        raise InputError(f"{question.name}: {error}") from None


def _show_verdicts(exercise: Exercise, verdicts: list[tuple[Question, Verdict]], as_json: bool) -> None:
    if as_json:
        rows = [{"question": q.name, **{k: getattr(v, k) for k in ("right", "message", "wrong")}} for q, v in verdicts]
        print(json.dumps({"exercise": exercise.name, "verdicts": rows}))
        return
    console = wide_console()
    for question, verdict in verdicts:
        mark = Text("right" if verdict.right else "wrong", "green" if verdict.right else "red")
        detail = verdict.message.removeprefix(mark.plain).removeprefix(": ")
        console.print(Text.assemble(f"{question.name}: ", mark, f": {detail}" if detail else ""))
    left = len(exercise.questions) - len(verdicts)
    if left and all(verdict.right for _, verdict in verdicts):
        console.print(f"{counted(left, 'question')} left")


def _show_task(exercise: Exercise, questions: Sequence[Question]) -> None:
    console = wide_console()
    console.print(bold(f"{exercise.name}  {exercise.title}"))
    if exercise.source:
        console.print(exercise.source)
    console.print(f"\n{exercise.task}")
    for question in questions:
        console.print()
        console.print(bold(question.name, f": {question.ask}"))
        for k, choice in enumerate(question.data.choices, start=1):
            console.print(f"  {k}  {choice}")
        for name, meaning in question.data.symbols.items():
            console.print(f"  {name:<14}{meaning}")
        hints = f"; {counted(len(question.hints), 'hint')}" if question.hints else ""
        console.print(f"  Answer: {question.form}{hints}")


def _show_help(questions: Sequence[Question], hint: int, answer: bool) -> None:
    console = wide_console()
    for question in questions:
        if hint:
            console.print(bold(question.name))
            for k, text in enumerate(question.hints[:hint], start=1):
                console.print(f"  {k}  {text}")
            if hint >= len(question.hints):
                console.print("  There are no more hints." if question.hints else "  There are no hints.")
        if answer:
            console.print(bold(question.name, ":"))
            console.print(question.answer, soft_wrap=True)
            if question.because:
                console.print(question.because)


def _data(exercise: Exercise, questions: Sequence[Question], hint: int, answer: bool) -> dict[str, Any]:
    """The task for a program, with as many hints as were asked for."""
    rows: list[dict[str, Any]] = []
    for q in questions:
        row: dict[str, Any] = {"name": q.name, "kind": q.kind, "ask": q.ask, "form": q.form, "unit": q.data.unit}
        row |= {"symbols": q.data.symbols, "choices": q.data.choices, "hints": q.hints[:hint]}
        rows.append(row | ({"answer": q.answer, "because": q.because} if answer else {}))
    head = {"name": exercise.name, "title": exercise.title, "source": exercise.source, "task": exercise.task}
    return {**head, "questions": rows}
