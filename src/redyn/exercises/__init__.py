"""Exercises: a task, hints, and answers that the engine computes and checks.

    names()        the exercises that come with redyn
    load(source)   an `Exercise`, by its name or from a YAML file
    Exercise       its task and its questions; `check` an answer

>>> import redyn
>>> exercise = redyn.exercises.load("9.7")
>>> verdict = exercise.check("1/3 m1 a1^2 theta_ddot1 - 1/2 m1 g a1 sin(theta1)", "tau")
>>> verdict.right, verdict.message
(False, 'the terms with g are wrong, the others are right')
"""

from redyn.exercises.exercise import Exercise, Question, load, names
from redyn.exercises.verdict import Verdict

__all__ = ["Exercise", "Question", "Verdict", "load", "names"]
