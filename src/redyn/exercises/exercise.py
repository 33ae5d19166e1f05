"""Exercises: tasks with hidden answers that the engine computes, and checks of what somebody answers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.errors import DescriptionError, InputError
from redyn.exercises.compute import Expected, OverTime, expected
from redyn.exercises.formula import Formula, Values
from redyn.exercises.motion import Table, check_motion, headings
from redyn.exercises.reading import Typed, read_array, read_choice
from redyn.exercises.schema import (
    LARGEST_FILE,
    ByChoice,
    ByPath,
    BySimulation,
    ExerciseData,
    QuestionData,
    read_exercise,
)
from redyn.exercises.units import UNITS
from redyn.exercises.verdict import UNANSWERED, WRONG, Verdict, joined, judge
from redyn.robot import Robot
from redyn.robot import load as load_robot
from redyn.words import counted, suggestion

Array = NDArray[np.float64]

POINTS = 16  # random values of the symbols at which formulas are compared
EXACT = 1e-7  # tolerance of formulas
ROUNDED = 1e-3  # a formula within this part has rounded numbers
USUAL = 0.01  # tolerance of values and motions
SHOWN = 11  # instants of a motion that are printed
_BOOK = "book"  # the folder of the exercises that come with redyn


class Question:
    """One question of an exercise."""

    def __init__(self, data: QuestionData, exercise: Exercise) -> None:
        self.data, self._exercise = data, exercise

    def __repr__(self) -> str:
        return f"<Question {self.name!r}: {self.kind}>"

    @property
    def name(self) -> str:
        return self.data.name

    @property
    def kind(self) -> str:
        """value, formula, motion or choice"""
        return self.data.kind

    @property
    def ask(self) -> str:
        return self.data.ask.strip()

    @property
    def hints(self) -> list[str]:
        return list(self.data.hints)

    @property
    def tolerance(self) -> float:
        """Relative."""
        if self.data.tolerance is not None:
            return self.data.tolerance
        return EXACT if self.kind == "formula" else USUAL

    @property
    def form(self) -> str:
        """What an answer looks like, in words; it does not give the answer away."""
        if self.kind == "choice":
            return "the number of a choice, or several numbers"
        if self.kind == "motion":
            return f"a CSV file with the columns {', '.join(headings(self._motion))}"
        what = "formula" if self.kind == "formula" else "number"
        match list(self._expected.shape):
            case [rows, columns]:
                size = f"a {rows} x {columns} matrix: [[a, b, ...], ...]"
            case [count]:
                size = f"{counted(count, what)}: [a, b, ...]"
            case _:
                size = f"a {what}"
        if self.kind == "formula":
            return f"{size} in {', '.join(self.data.symbols)}"
        return f"{size} in {self.data.unit}" if self.data.unit else size

    @property
    def answer(self) -> str:
        """The answer as text."""
        answer = self.data.answer
        if isinstance(answer, ByChoice):
            return "; ".join(f"{k}: {self.data.choices[k - 1].strip()}" for k in answer.choice)
        if self.kind != "motion":
            return self._expected.text(self.data.unit)
        table = self.table(SHOWN)
        lines = ["  ".join(f"{name:>12}" for name in table)]
        lines += ["  ".join(f"{value:12.6g}" for value in row) for row in zip(*table.values(), strict=True)]
        return "\n".join(lines)

    @property
    def because(self) -> str:
        """An explanation of the answer; may be empty."""
        return self.data.because.strip()

    def table(self, samples: int = 101) -> dict[str, Array]:
        """The expected motion of a question of that kind: columns by name."""
        if self.kind != "motion":
            raise InputError(f"question {self.name!r} does not ask for a motion")
        t = np.linspace(0.0, self._motion.duration, samples)
        return dict(zip(headings(self._motion), (t, *self._motion(t).T), strict=True))

    @cached_property
    def _expected(self) -> Expected:
        return self._located(lambda: expected(self.data, self._exercise.robot))

    @cached_property
    def _motion(self) -> OverTime:
        answer, robot = self.data.answer, self._exercise.robot
        if not isinstance(answer, ByPath | BySimulation) or robot is None:
            raise TypeError("the schema gives every question of this kind a motion and a robot")
        return OverTime(robot, answer)

    def _located(self, compute: Any) -> Any:
        """An error in an exercise says where it is."""
        try:
            return compute()
        except InputError as error:
            raise DescriptionError(f"{self._exercise.name}: question {self.name}: answer", str(error)) from None

    def check(self, answer: object) -> Verdict:
        """Whether an answer is right: text as it is typed, a number, an array, or for a motion a file or its columns.

        The text of an answer to a motion names a file: a server passes columns instead. An ellipsis, as in a
        notebook that waits to be filled in, is no answer.

        >>> import redyn
        >>> question = redyn.exercises.load("9.6").question("T")
        >>> question.check("m1*a1^2*theta_dot1^2/6").right
        True
        >>> question.check("m1*a1^2*theta_dot1^2/3").message
        'twice the expected value'
        >>> question.check(...).message
        'not answered yet'
        """
        if answer is ...:
            return Verdict(False, UNANSWERED)
        if self.kind == "motion":
            if not isinstance(answer, str | Path | Mapping):
                raise InputError("expected a CSV file, or its columns by name")
            table: Table = answer  # pyright: ignore[reportUnknownVariableType]
            return check_motion(self._motion, table, self.tolerance)
        text = _text(answer)
        if self.kind == "choice":
            return self._check_choice(text)
        typed = read_array(text, list(self.data.symbols), units=self.kind == "value")
        wanted = self._expected
        if not _same_shape(typed.shape, wanted.shape):
            return Verdict(False, f"expected {_size(wanted.shape)}, got {_size(typed.shape)}")
        return self._check_values(typed, wanted) if self.kind == "value" else self._check_formulas(typed, wanted)

    def _check_choice(self, text: str) -> Verdict:
        wanted = set(self.data.answer.choice) if isinstance(self.data.answer, ByChoice) else set[int]()
        given = set(read_choice(text, self.data.choices))
        if given == wanted:
            return Verdict(True, "right")
        if given < wanted:
            return Verdict(False, "not complete: what it names is right")
        if wanted < given:
            return Verdict(False, "the right ones are among them, but not all of these are right")
        return Verdict(False, "wrong")

    def _check_values(self, typed: Typed, wanted: Expected) -> Verdict:
        factors = np.ones((len(typed.units), 1))
        mine = UNITS.get(self.data.unit)
        for i, name in enumerate(typed.units):
            if not name:
                continue
            unit = UNITS[name]
            if mine is None or unit.quantity != mine.quantity:
                rather = f"{mine.quantity} is expected, in {self.data.unit}" if mine else "a bare number is expected"
                return Verdict(False, f"the unit is wrong: {name} is a unit of {unit.quantity}; {rather}")
            factors[i] = unit.factor / mine.factor
        given = np.array([np.broadcast_to(formula({}), 1) for formula in typed.formulas])
        return judge(wanted({}), given * factors, wanted.shape, self.tolerance)

    def _check_formulas(self, typed: Typed, wanted: Expected) -> Verdict:
        values = _values(list(self.data.symbols))
        target, given = wanted(values, POINTS), _evaluate(typed.formulas, values)
        verdict = judge(target, given, wanted.shape, self.tolerance, close=ROUNDED)
        if verdict.message != WRONG:
            return verdict
        return Verdict(False, self._which_terms(typed.formulas, wanted, values) or WRONG, verdict.wrong)

    def _which_terms(self, formulas: list[Formula], wanted: Expected, values: Values) -> str:
        """Symbols without which the formula would be right, or that it lacks or has too many."""
        for name in sorted(filter(_removable, self.data.symbols), key=_removable, reverse=True):
            still = {**values, name: np.zeros(POINTS)}
            target, given = wanted(still, POINTS), _evaluate(formulas, still)
            if np.abs(target).max() > 0 and judge(target, given, wanted.shape, self.tolerance).right:
                return f"the terms with {name} are wrong, the others are right"
        used = {name for formula in formulas for name in formula.names}
        needed = {name for formula in wanted.formulas for name in formula.names}
        if needed - used:
            return f"wrong: it does not depend on {joined(sorted(needed - used))}"
        if used - needed:
            return f"wrong: it should not depend on {joined(sorted(used - needed))}"
        return ""


class Exercise:
    """A task with questions. See `load`."""

    def __init__(self, name: str, data: ExerciseData) -> None:
        self.name, self.data = name, data
        self.questions = [Question(question, self) for question in data.questions]

    def __repr__(self) -> str:
        return f"<Exercise {self.name!r}: {self.title}, {counted(len(self.questions), 'question')}>"

    def _repr_html_(self) -> str:
        """In a notebook: the task and the questions, without answers."""
        from redyn.exercises.sheet import html_sheet

        return html_sheet(self)

    @property
    def title(self) -> str:
        return self.data.title.strip()

    @property
    def task(self) -> str:
        return self.data.task.strip()

    @property
    def source(self) -> str:
        return self.data.source

    @cached_property
    def robot(self) -> Robot | None:
        """The robot of the exercise; None if it needs none."""
        robot = self.data.robot
        if isinstance(robot, str):
            from redyn.description import library

            if robot not in library():
                raise DescriptionError(
                    f"{self.name}: robot", f"unknown robot {robot[:40]!r}{suggestion(robot, library())}"
                )
        try:
            return None if robot is None else load_robot(robot)
        except DescriptionError as error:
            raise DescriptionError(f"{self.name}: robot: {error.where}", error.what) from None

    def question(self, name: str) -> Question:
        """A question by its name."""
        for question in self.questions:
            if question.name == name:
                return question
        names = [question.name for question in self.questions]
        raise InputError(f"{self.name}: no question {name[:40]!r}{suggestion(name, names)}")

    def check(self, answer: object, question: str | None = None) -> Verdict:
        """Whether an answer to a question is right; without a name, to the only one. See `Question.check`."""
        if question is not None:
            return self.question(question).check(answer)
        if len(self.questions) > 1:
            names = joined([q.name for q in self.questions])
            raise InputError(f"{self.name}: name the question: {names}")
        return self.questions[0].check(answer)


def names() -> list[str]:
    """The exercises that come with redyn.

    >>> names()[:3]
    ['9.1', '9.2', '9.3']
    """
    folder = resources.files("redyn.exercises") / _BOOK
    found = [entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml")]
    return sorted(found, key=lambda name: [int(part) for part in name.split(".")])


def load(source: str | Path | Mapping[str, object]) -> Exercise:
    """An exercise: one that comes with redyn, by its name; a YAML file; or plain data.

    >>> exercise = load("9.6")
    >>> exercise
    <Exercise '9.6': Kinetic energy of a one-link arm, 1 question>
    >>> exercise.check("1/6 m1 a1^2 theta_dot1^2").right
    True
    """
    if isinstance(source, Mapping):
        return Exercise("exercise", read_exercise(source, "exercise"))
    if str(source) in names():
        text = (resources.files("redyn.exercises") / _BOOK / f"{source}.yaml").read_text("utf-8")
        return Exercise(str(source), read_exercise(text, str(source)))
    path, shown = Path(source), str(source)[:200]
    if path.suffix.lower() not in (".yaml", ".yml"):
        raise DescriptionError(shown, f"neither an exercise nor a .yaml file; the exercises are {', '.join(names())}")
    try:
        if not path.is_file():
            raise DescriptionError(shown, "there is no such file")
        if path.stat().st_size > LARGEST_FILE:
            raise DescriptionError(shown, f"the file exceeds {LARGEST_FILE:,} bytes, the limit for an exercise")
        data = path.read_bytes()
    except OSError as error:
        raise DescriptionError(shown, f"cannot be read: {error.strerror}") from None
    except ValueError:  # a null character
        raise DescriptionError(shown, "not the name of a file") from None
    try:
        return Exercise(path.stem, read_exercise(data.decode("utf-8"), path.name))
    except UnicodeDecodeError:
        raise DescriptionError(shown, "not a text file in UTF-8") from None


def _text(answer: object) -> str:
    """An answer as text; arrays and numbers in full precision."""
    if isinstance(answer, str):
        return answer
    try:
        array = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"expected text, a number or an array of numbers, got {type(answer).__name__}") from None
    if array.ndim > 2 or array.size > 1000 or not np.isfinite(array).all():
        raise InputError("expected a finite number, a vector or a matrix of at most 1,000 entries")
    return str(array.tolist())


def _signed(name: str) -> bool:
    """Whether a symbol is an angle, a rate or an acceleration, which may be negative; lengths and masses are not."""
    return "dot" in name or name.startswith(("theta", "phi", "q"))


def _removable(name: str) -> int:
    """Symbols that are set to zero in order to find wrong terms: those of gravity first, then accelerations, rates."""
    return 4 if name == "g" else 3 if "ddot" in name else 2 if "dot" in name else int(_signed(name))


def _values(symbols: list[str]) -> dict[str, Array]:
    """The same random values every time."""
    rng = np.random.default_rng(0)
    return {
        name: rng.uniform(-2.5, 2.5, POINTS) if _signed(name) else rng.uniform(0.4, 2.0, POINTS) for name in symbols
    }


def _evaluate(formulas: list[Formula], values: Values) -> Array:
    return np.array([np.broadcast_to(formula(values), POINTS) for formula in formulas])


def _same_shape(given: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """A row or a column may stand for a vector, a list of one for a number."""

    def squeezed(shape: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(k for k in shape if k != 1)

    return given == wanted or (squeezed(given) == squeezed(wanted) and len(squeezed(wanted)) < 2)


def _size(shape: tuple[int, ...]) -> str:
    match list(shape):
        case [rows, columns]:
            return f"a {rows} x {columns} matrix"
        case [count]:
            return f"a vector of {counted(count, 'entry', 'entries')}"
        case _:
            return "a single value"
