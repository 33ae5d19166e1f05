"""Exercises in the studio: which one is open, what was answered, and what the engine says of it. No user interface.

The engine works in other processes (see jobs.py). Exercises come with redyn, or were uploaded and read as plain data.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError, RedynError
from redyn.exercises import Exercise, Question, load, names
from redyn.exercises.schema import read_exercise
from redyn.studio.jobs import Job
from redyn.words import suggestion

Report = Callable[[float, str], None]
Columns = dict[str, NDArray[np.float64]]

LONGEST = 4000  # characters of an answer
LARGEST = 200_000  # of an exercise as data
MOST_OWN = 8  # uploaded exercises that are kept
MOST_KEPT = 100  # exercises whose answers are kept
FIRST = "9.1"
OWN = "own:"  # prefix of the key of an uploaded exercise
EMPTY = "type an answer first"
NO_FILE = "choose a CSV file first"


class Source(NamedTuple):
    """An exercise for another process: the name of one that comes with redyn, or one as JSON."""

    name: str
    text: str = ""


@lru_cache(maxsize=64)
def exercise_of(source: Source) -> Exercise:
    return Exercise(source.name, read_exercise(json.loads(source.text), source.name)) if source.text else _book(source)


def _book(source: Source) -> Exercise:
    if source.name not in names():  # `load` would open a file of this machine
        raise InputError(f"there is no exercise {source.name[:40]!r}{suggestion(source.name, names())}")
    return load(source.name)


# --- in other processes ------------------------------------------------------------------------------------------


def forms(_: Report, source: Source) -> dict[str, str]:
    """By question, what an answer looks like."""
    return {question.name: _form(question) for question in exercise_of(source).questions}


def _form(question: Question) -> str:
    try:
        return question.form
    except RedynError as error:
        return str(error)


def check(_: Report, source: Source, question: str, answer: str | Columns) -> tuple[bool, str]:
    """The verdict on an answer, whether it is right and why not: text, or the columns of a motion."""
    asked = exercise_of(source).question(question)
    if isinstance(answer, str) == (asked.kind == "motion"):  # text would name a file of this machine
        raise InputError("expected text, or for a motion its columns")
    verdict = asked.check(answer)
    return verdict.right, verdict.message


def solve(_: Report, source: Source, question: str) -> str:
    """The answer, and why."""
    asked = exercise_of(source).question(question)
    return "\n".join(filter(None, [asked.answer, asked.because]))


# --- in the server -----------------------------------------------------------------------------------------------


@dataclass
class Attempt:
    """What was done about one question."""

    answer: str = ""  # typed, or the name of a file
    columns: Columns | None = None  # of that file
    hints: int = 0  # how many are shown
    right: bool | None = None  # None: not checked, or not understood
    told: str = ""  # the verdict
    solution: str = ""  # once asked for
    job: Job | None = None

    def change(self, answer: str) -> None:
        """Another answer: the verdict on the last one no longer holds."""
        if answer != self.answer:
            self.answer, self.columns, self.right, self.told = answer[:LONGEST], None, None, ""

    @property
    def busy(self) -> bool:
        return self.job is not None and not self.job.over.is_set()

    def given(self, kind: str) -> str | Columns:
        """What is checked."""
        if kind == "motion":
            if self.columns is None:
                raise InputError(f"choose {self.answer} again: files are not kept" if self.answer else NO_FILE)
            return self.columns
        if not self.answer.strip():
            raise InputError(EMPTY)
        return self.answer


@dataclass
class Lessons:
    """The exercises of one tab. `chosen`: key of the open one; answers to the others are kept."""

    chosen: str = FIRST
    own: dict[str, str] = field(default_factory=dict[str, str])  # uploaded ones as JSON, by their keys
    attempts: dict[str, dict[str, Attempt]] = field(default_factory=dict[str, dict[str, Attempt]])

    @property
    def titles(self) -> dict[str, str]:
        """All exercises, by their keys."""
        return {key: f"{self.source(key).name}: {self.exercise(key).title}" for key in (*names(), *self.own)}

    def source(self, key: str = "") -> Source:
        key = key or self.chosen
        return Source(key.removeprefix(OWN), self.own[key]) if key in self.own else Source(key)

    def exercise(self, key: str = "") -> Exercise:
        return exercise_of(self.source(key))

    def choose(self, key: str) -> None:
        """InputError if there is no such exercise."""
        self.exercise(key)
        self.chosen = key

    def add(self, name: str, data: dict[str, Any]) -> None:
        """An uploaded exercise, which is then open; it replaces one of the same name."""
        key, text = f"{OWN}{name}", json.dumps(data)
        if len(text) > LARGEST:
            raise InputError(f"{name}: too large for the studio")
        exercise_of(Source(name, text))
        if key not in self.own and len(self.own) >= MOST_OWN:
            oldest = next(iter(self.own))
            del self.own[oldest]
            self.attempts.pop(oldest, None)
        if self.own.get(key) != text:
            self.attempts.pop(key, None)
        self.own[key] = text
        self.choose(key)

    def attempt(self, question: str, key: str = "") -> Attempt:
        mine = self.attempts.setdefault(key or self.chosen, {})
        if question not in mine:
            self.exercise(key).question(question)
            mine[question] = Attempt()
        return mine[question]

    def hint(self, question: str) -> None:
        """Shows one hint more."""
        attempt = self.attempt(question)
        attempt.hints = min(attempt.hints + 1, len(self.exercise().question(question).hints))

    @property
    def jobs(self) -> list[Job]:
        every = (attempt for mine in self.attempts.values() for attempt in mine.values())
        return [attempt.job for attempt in every if attempt.job is not None]

    # --- kept by the browser -------------------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        done = {
            key: {name: {"answer": x.answer, "hints": x.hints} for name, x in mine.items() if x.answer or x.hints}
            for key, mine in self.attempts.items()
        }
        return {"chosen": self.chosen, "own": self.own, "answers": {key: mine for key, mine in done.items() if mine}}

    @classmethod
    def restored(cls, data: object) -> Lessons:
        """From data that is not trusted: RedynError, KeyError, TypeError, ValueError or AttributeError if it is bad."""
        kept = cast("dict[str, Any]", data)
        found = cls()
        for key, text in list(kept["own"].items())[:MOST_OWN]:
            found.add(str(key).removeprefix(OWN)[:100], json.loads(text))
        for key, mine in list(kept["answers"].items())[:MOST_KEPT]:
            if key in (*names(), *found.own):
                known = {question.name for question in found.exercise(key).questions}
                for name in known & set(mine):
                    attempt = found.attempt(name, key)
                    attempt.answer = str(mine[name]["answer"])[:LONGEST]
                    attempt.hints = max(0, min(int(mine[name]["hints"]), 20))
        found.choose(str(kept["chosen"]) if kept["chosen"] in (*names(), *found.own) else FIRST)
        return found
