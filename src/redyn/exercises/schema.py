"""Schema of exercise files, field by field (pydantic)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    field_validator,
    model_validator,
)

from redyn.description.numbers import parse_angle, shown
from redyn.description.yaml_file import mapping
from redyn.errors import DescriptionError, InputError
from redyn.exercises.formula import Formula, parse_formula
from redyn.exercises.units import MAIN_UNITS, UNITS
from redyn.words import suggestion

LARGEST_FILE = 100_000  # characters of an exercise file
LONGEST_TEXT = 10_000
MOST_QUESTIONS = 50
LONGEST_MOTION = 100.0  # s

Kind = Literal["value", "formula", "motion", "choice"]
Law = Literal["cycloidal", "cubic", "quintic", "trapezoidal"]
Columns = Literal["q", "qd", "qdd", "tau"]
Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
Number = Annotated[float, BeforeValidator(parse_angle)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,39}$")]
State = Annotated[list[Number], Field(max_length=100)]
Duration = Annotated[Number, Field(gt=0.0, le=LONGEST_MOTION)]
Entry = Annotated[int, Field(ge=1)]


def _listed(value: object) -> object:
    return cast(object, value) if isinstance(value, list | tuple) else [value]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ByFormula(_Strict):
    """A formula or a number, or rows of them."""

    formula: str | list[str] | list[list[str]]


class ByComputation(_Strict):
    """A method of the robot at a state: see `redyn.exercises.compute.METHODS`."""

    compute: str
    q: State | None = None
    qd: State | None = None
    qdd: State | None = None
    tau: State | None = None
    entry: Annotated[list[Entry], BeforeValidator(_listed)] | None = None


class ByDerivation(_Strict):
    """A quantity of `redyn.derive`, in symbols."""

    derive: str
    entry: Annotated[list[Entry], BeforeValidator(_listed)] | None = None
    numbers: list[str] = Field(default_factory=list, max_length=50)
    where: dict[str, str] = Field(default_factory=dict, max_length=50)
    rods: bool | None = None


class Path(_Strict):
    """A motion from rest to rest."""

    law: Law = "cycloidal"
    start: State
    stop: State
    duration: Duration


class Release(_Strict):
    """A simulation from a state, in free fall or with constant torques."""

    q: State
    qd: State | None = None
    tau: State | None = None
    duration: Duration


class _OverTime(_Strict):
    columns: Columns = "tau"
    at: Number | None = None  # of a value: an instant
    take: Literal["peak", "rms", "final"] | None = None  # of a value: one number per joint
    joint: Entry | None = None  # of a value: of one joint only


class ByPath(_OverTime):
    """What happens along a motion: torques by inverse dynamics, or the motion itself."""

    along: Path


class BySimulation(_OverTime):
    """The motion that forward dynamics gives."""

    simulate: Release
    columns: Columns = "q"


class ByChoice(_Strict):
    """The numbers of the right choices, counted from 1."""

    choice: Annotated[list[Entry], BeforeValidator(_listed)]


_ANSWERS = {
    "formula": ByFormula,
    "compute": ByComputation,
    "derive": ByDerivation,
    "along": ByPath,
    "simulate": BySimulation,
    "choice": ByChoice,
}
_FITTING = {  # kinds of questions and the answers that they may have
    "value": (ByFormula, ByComputation, ByPath, BySimulation),
    "formula": (ByFormula, ByDerivation),
    "motion": (ByPath, BySimulation),
    "choice": (ByChoice,),
}


def _which(answer: object) -> str | None:
    if isinstance(answer, Mapping):
        return next((key for key in _ANSWERS if key in answer), None)
    return next((key for key, kind in _ANSWERS.items() if isinstance(answer, kind)), None)


Answer = Annotated[
    Annotated[ByFormula, Tag("formula")]
    | Annotated[ByComputation, Tag("compute")]
    | Annotated[ByDerivation, Tag("derive")]
    | Annotated[ByPath, Tag("along")]
    | Annotated[BySimulation, Tag("simulate")]
    | Annotated[ByChoice, Tag("choice")],
    Discriminator(_which),
]


class QuestionData(_Strict):
    """One question."""

    name: Name
    ask: Text
    kind: Kind
    unit: str = ""
    symbols: dict[Name, str] = Field(default_factory=dict, max_length=100)
    choices: list[Text] = Field(default_factory=list, max_length=20)
    tolerance: Annotated[Number, Field(gt=0.0, lt=1.0)] | None = None
    hints: list[Text] = Field(default_factory=list, max_length=20)
    because: str = Field(default="", max_length=LONGEST_TEXT)  # printed with the answer
    answer: Answer

    @field_validator("unit")
    @classmethod
    def _known_unit(cls, unit: str) -> str:
        if unit and unit not in UNITS:
            raise ValueError(f"unknown unit {unit[:40]!r}; units are {', '.join(MAIN_UNITS)} and multiples of them")
        return unit

    @model_validator(mode="after")
    def _consistent(self) -> QuestionData:
        fitting = _FITTING[self.kind]
        if type(self.answer) not in fitting:
            names = " or ".join(key for key, kind in _ANSWERS.items() if kind in fitting)
            raise ValueError(f"the answer of a question of kind {self.kind} is given by {names}")
        if (self.kind == "choice") != bool(self.choices):
            raise ValueError("choices belong to questions of kind choice, which need them")
        if self.kind == "formula" and not self.symbols:
            raise ValueError("a formula needs symbols: a mapping from each name to its meaning")
        if self.symbols and self.kind != "formula":
            raise ValueError("symbols belong to questions of kind formula")
        names = [name.replace("_", "") for name in self.symbols]  # as formulas may write them
        if len(set(names)) < len(names):
            raise ValueError("symbols: two names differ by underscores only")
        self._consistent_answer()
        return self

    def _consistent_answer(self) -> None:
        answer = self.answer
        if isinstance(answer, ByChoice) and not all(k <= len(self.choices) for k in answer.choice):
            raise ValueError(f"choice: expected numbers from 1 to {len(self.choices)}, got {answer.choice}")
        if isinstance(answer, ByFormula):
            try:
                formulas(answer.formula, list(self.symbols))
            except InputError as error:
                raise ValueError(str(error)) from None
        if isinstance(answer, ByPath | BySimulation):
            if (self.kind == "value") != ((answer.at is None) != (answer.take is None)):
                raise ValueError("a value needs either at (an instant) or take (peak, rms or final); a motion neither")
            if self.kind == "motion" and answer.joint is not None:
                raise ValueError("joint belongs to questions of kind value")
            if isinstance(answer, BySimulation) and answer.columns == "tau":
                raise ValueError("columns: a simulation gives q, qd or qdd")


class ExerciseData(_Strict):
    """A file."""

    title: Text
    task: Text
    source: str = ""
    robot: str | dict[str, Any] | None = None  # a library name, or a robot as in robot files
    questions: list[QuestionData] = Field(min_length=1, max_length=MOST_QUESTIONS)

    @model_validator(mode="after")
    def _consistent(self) -> ExerciseData:
        names = [question.name for question in self.questions]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise ValueError(f"two questions are called {twice[0]!r}")
        needing = [q.name for q in self.questions if not isinstance(q.answer, ByFormula | ByChoice)]
        if needing and self.robot is None:
            raise ValueError(f"the answer of question {needing[0]!r} needs a robot: a library name or its description")
        return self


def formulas(given: str | list[str] | list[list[str]], symbols: list[str]) -> tuple[tuple[int, ...], list[Formula]]:
    """The shape, and the formulas row by row."""
    if isinstance(given, str):
        return (), [parse_formula(given, symbols)]
    rows = [row if isinstance(row, list) else [row] for row in given]
    if not rows or not rows[0] or len({len(row) for row in rows}) > 1:
        raise InputError("formula: expected a formula, a list of them, or rows of equal length")
    shape = (len(rows), len(rows[0])) if isinstance(given[0], list) else (len(rows),)
    return shape, [parse_formula(text, symbols) for row in rows for text in row]


def read_exercise(source: str | Mapping[str, object], origin: str) -> ExerciseData:
    """An exercise from the text of a file or from plain data; `origin` names it in errors."""
    if isinstance(source, str):
        if len(source) > LARGEST_FILE:
            raise DescriptionError(origin, f"the file exceeds {LARGEST_FILE:,} characters, the limit for an exercise")
        source = mapping(source, origin, "an exercise: keys such as title, task, robot and questions")
    try:
        return ExerciseData.model_validate(dict(source))
    except ValidationError as error:
        raise _translated(error, origin) from None
    except RecursionError:
        raise DescriptionError(origin, "nested too deeply to be an exercise") from None


def _translated(error: ValidationError, origin: str) -> DescriptionError:
    """The first error of a file, with its location."""
    problem = error.errors(include_url=False)[0]
    steps = [step for step in problem["loc"] if step not in _ANSWERS or problem["type"] == "missing"]
    where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).lstrip(".")
    return DescriptionError(f"{origin}: {where}" if where else origin, _message(problem))


def _message(problem: Any) -> str:
    kind, loc = str(problem["type"]), problem["loc"]
    if kind == "missing":
        return "missing"
    if kind == "extra_forbidden":
        fields: list[str] = []
        if len(loc) == 1:
            fields = list(ExerciseData.model_fields)
        elif loc[0] == "questions" and len(loc) == 3:
            fields = list(QuestionData.model_fields)
        elif len(loc) == 5 and loc[3] in _ANSWERS:
            fields = list(_ANSWERS[loc[3]].model_fields)
        return "unknown key" + (suggestion(str(loc[-1]), fields) if fields else "")
    if kind == "union_tag_not_found":
        return f"expected a mapping with one of {', '.join(_ANSWERS)}"
    if kind == "string_pattern_mismatch":
        return f"expected a short name of letters, digits, _ and -, got {shown(problem['input'])}"
    message = re.sub(r"^Value error, ", "", str(problem["msg"]))
    return message if kind == "value_error" else f"{message}, got {shown(problem['input'])}"
