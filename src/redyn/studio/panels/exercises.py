"""Exercises: a task, its questions, answers that the engine checks, hints one by one, and the answer when asked."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any, cast

from nicegui import background_tasks, ui

from redyn.errors import RedynError
from redyn.exercises import Question
from redyn.studio import messages, uploads
from redyn.studio.controls import Choice, Part, box, button, enable, set_attribute, set_text, text
from redyn.studio.jobs import Job
from redyn.studio.lessons import LONGEST, OWN, Attempt
from redyn.studio.opening import Opened, open_source, opened
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

LOOK = 0.05  # s
UPLOAD = "An exercise of your own, a YAML file: see docs/exercises.md"
LINK = "An address that opens the studio at this exercise"
ROBOT = "Opens the robot of this exercise in place of the one shown; undo brings that back"


class ExercisesPanel:
    def __init__(self, desk: Desk) -> None:
        self._desk, self._cards, self._shown = desk, dict[str, QuestionCard](), ""
        self.root = box("work", "panel-exercises", role="tabpanel")
        with self.root:
            with box("form"):
                lessons = desk.state.lessons
                self._choice = Choice(
                    lessons.titles, lessons.chosen, self._choose, "exercise-select", "Exercise", "exercises-field"
                )
                options = {
                    "text": "Open file",
                    "accept": ".yaml,.yml",
                    "url": f"{desk.upload_url}/exercise",
                    "largest": uploads.LARGEST,
                    "title": UPLOAD,
                    "testid": "exercise-upload",
                }
                Part("file", options, refused=desk.refused_upload)
                self._robot = button("Open its robot", "exercise-robot", self._open_robot, ROBOT)
                self._link = button("Copy link", "exercise-link", self._copy_link, LINK)
            self._body = box("lesson", "exercise-body")

    def show(self) -> None:
        """Called when the tab opens, or another exercise is chosen."""
        lessons = self._desk.state.lessons
        if self._desk.state.tab != "exercises":
            return
        self._choice.show(lessons.chosen, lessons.titles)
        shown = f"{lessons.chosen} {lessons.source().text}"
        if shown != self._shown:
            self._shown = shown
            self._build()
            cast(Any, background_tasks).create(self._show_forms(shown), name="forms of answers")

    def _build(self) -> None:
        exercise = self._desk.state.lessons.exercise()
        enable(self._robot, exercise.data.robot is not None)
        self._link.set_visibility(not self._desk.state.lessons.chosen.startswith(OWN))
        self._body.clear()
        with self._body:
            text(exercise.title, tag="h2", testid="exercise-title")
            for paragraph in paragraphs(exercise.task):
                text(paragraph, "task", "p")
            text(exercise.source, "run-note", "p")
            self._cards = {
                question.name: QuestionCard(self._desk, question, number)
                for number, question in enumerate(exercise.questions, 1)
            }

    async def _show_forms(self, shown: str) -> None:
        """What answers look like: derived first, so it comes later."""
        desk = self._desk
        try:
            job = desk.submit("redyn.studio.lessons:forms", desk.state.lessons.source())
        except RedynError:
            return  # too many jobs: it is only a help
        await ended(job)
        if job.state == "done" and shown == self._shown:
            for name, form in job.result.items():
                self._cards[name].show_form(form)

    def show_question(self, name: str) -> None:
        if name in self._cards:
            self._cards[name].show()

    async def _choose(self, key: Any) -> None:
        await self._desk.attempt("exercise", lambda: self._desk.state.lessons.choose(str(key)))
        self.show()
        self._desk.keep_soon()

    async def _open_robot(self) -> None:
        exercise = self._desk.state.lessons.exercise()

        def make() -> Opened:
            robot = exercise.robot  # checks that a name is of the library
            if isinstance(exercise.data.robot, str):
                return open_source(exercise.data.robot)
            if robot is None:
                raise RedynError("this exercise needs no robot")
            return opened(robot.description, [])

        await self._desk.open(make)

    def _copy_link(self) -> None:
        address = f"{ui.context.client.request.base_url}?exercise={self._desk.state.lessons.chosen}"
        ui.clipboard.write(address)
        self._desk.notify(f"Copied: {address}")


class QuestionCard:
    def __init__(self, desk: Desk, question: Question, number: int) -> None:
        self._desk, self._question = desk, question
        name, data = question.name, question.data
        with box("card question", f"question-{name}", role="group", aria_label=f"Question {number}"):
            with box("ask", tag="p"):
                text(f"{number}. ", "number")
                text(question.ask)
            if data.symbols:
                text(", ".join(f"{symbol}: {meaning}" for symbol, meaning in data.symbols.items()), "run-note", "p")
            self._form = text("", "run-note form-note", "p", f"form-{name}")
            self._form.set_visibility(question.kind != "choice")
            self._field: Any = None
            with box("answer-line"):
                if question.kind == "motion":
                    self._upload()
                elif question.kind == "choice":
                    self._choices()
                else:
                    self._type()
                self._check = button("Check", f"check-{name}", self._ask, classes="run")
            with box("verdict-line", role="status"):
                self._verdict = text("", "verdict", "p", f"verdict-{name}")
            self._hints = box("hints", f"hints-{name}", "ol")
            self._solution = text("", "code solution", "pre", f"solution-{name}")
            with box("in-line helps"):
                self._more = button("Hint", f"hint-{name}", self._hint)
                self._reveal = button("Show the answer", f"reveal-{name}", self._solve)
        self.show()

    @property
    def _attempt(self) -> Attempt:
        return self._desk.state.lessons.attempt(self._question.name)

    # --- answers -------------------------------------------------------------------------------------------------

    def _type(self) -> None:
        name = self._question.name
        with box("field answer-field", f"answer-{name}"):
            label = f"Answer in {self._question.data.unit}" if self._question.data.unit else "Answer"
            self._field = cast(Any, ui.textarea)(label=label, value=self._attempt.answer)
            self._field.props(f"dense outlined autogrow maxlength={LONGEST} spellcheck=false autocomplete=off rows=1")
            self._field.on_value_change(lambda: self._change(self._field.value))
            self._field.on("keydown.enter.exact.prevent", self._ask, [])

    def _choices(self) -> None:
        chosen = re.findall(r"\d+", self._attempt.answer)
        boxes: list[Any] = []

        def change() -> None:
            self._change(", ".join(str(k) for k, one in enumerate(boxes, 1) if one.value))

        with box("choices", f"answer-{self._question.name}"):
            for number, choice in enumerate(self._question.data.choices, 1):
                boxes.append(ui.checkbox(f"{number}. {choice.strip()}", value=str(number) in chosen).props("dense"))
                boxes[-1].on("update:model-value", change)

    def _upload(self) -> None:
        name = self._question.name
        options = {
            "text": "CSV file",
            "accept": ".csv",
            "url": f"{self._desk.upload_url}/answer:{name}",
            "largest": uploads.LARGEST,
            "title": "Your motion: a column t and one per joint",
            "testid": f"answer-{name}",
        }
        Part("file", options, refused=self._desk.refused_upload)
        self._file = text("", "file-name", testid=f"file-{name}")

    def _change(self, answer: object) -> None:
        if not isinstance(answer, str | None):
            raise messages.MalformedError("expected text")
        self._attempt.change(answer or "")
        self._desk.keep_soon()
        self.show()

    # --- what is shown -------------------------------------------------------------------------------------------

    def show_form(self, form: str) -> None:
        form = form.partition(" in ")[0] if self._question.kind == "formula" else form  # symbols are above
        set_text(self._form, f"Expected: {form}.")

    def show(self) -> None:
        attempt, name, hints = self._attempt, self._question.name, self._question.hints
        mark = {True: "✓ ", False: "✗ ", None: ""}[attempt.right]
        set_text(self._verdict, "checking…" if attempt.busy else mark + attempt.told)
        set_attribute(self._verdict, "data-right", {True: "yes", False: "no", None: None}[attempt.right])
        enable(self._check, not attempt.busy)
        self._hints.clear()
        self._hints.set_visibility(attempt.hints > 0)
        with self._hints:
            for hint in hints[: attempt.hints]:
                text(hint, tag="li")
        self._more.set_visibility(attempt.hints < len(hints))
        set_text(self._more, f"Hint {attempt.hints + 1} of {len(hints)}")
        set_text(self._solution, attempt.solution)
        self._solution.set_visibility(bool(attempt.solution))
        self._reveal.set_visibility(not attempt.solution)
        if self._question.kind == "motion":
            rows = "" if attempt.columns is None else f", {counted(len(attempt.columns['t']), 'row')}"
            set_text(self._file, f"{attempt.answer}{rows}")
        set_attribute(self._check, "aria-label", f"Check the answer to {name}")

    # --- the engine ----------------------------------------------------------------------------------------------

    async def _ask(self) -> None:
        attempt, question = self._attempt, self._question
        if attempt.busy:
            return
        try:
            given = attempt.given(question.kind)
            job = self._submit("check", given)
        except RedynError as error:
            attempt.right, attempt.told = None, str(error)
            return self.show()
        answer = attempt.answer
        self.show()
        await ended(job)
        if attempt.answer == answer:  # not changed meanwhile
            attempt.right, attempt.told = job.result if job.state == "done" else (None, job.error or job.reason)
        return self._show_now()

    async def _solve(self) -> None:
        attempt = self._attempt
        if attempt.busy:
            return
        try:
            job = self._submit("solve")
        except RedynError as error:
            attempt.right, attempt.told = None, str(error)
            return self.show()
        enable(self._reveal, False)
        await ended(job)
        enable(self._reveal, True)
        if job.state == "done":
            attempt.solution = job.result
        else:
            attempt.right, attempt.told = None, job.error or job.reason
        return self._show_now()

    def _submit(self, task: str, *arguments: Any) -> Job:
        desk, source = self._desk, self._desk.state.lessons.source()
        name = self._question.name
        job = desk.submit(f"redyn.studio.lessons:{task}", source, name, *arguments)
        self._attempt.job = job
        return job

    def _show_now(self) -> None:
        """On the page that is there now, which may be another than the one that asked."""
        if self._desk.session.desk is not None:
            self._desk.session.desk.exercises.show_question(self._question.name)

    def _hint(self) -> None:
        self._desk.state.lessons.hint(self._question.name)
        self._desk.keep_soon()
        self.show()


def paragraphs(content: str) -> list[str]:
    """Lines of a file joined; an empty line separates paragraphs.

    >>> paragraphs("one\\ntwo\\n\\nthree")
    ['one two', 'three']
    """
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", content) if part.strip()]


async def ended(job: Job) -> None:
    """Waits for a job without blocking the server."""
    while not job.over.is_set():
        await asyncio.sleep(LOOK)
