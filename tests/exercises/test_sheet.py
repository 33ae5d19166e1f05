"""Exercises and verdicts as a notebook shows them."""

import redyn
from redyn.exercises import load


def test_a_sheet_has_the_questions_but_no_answers():
    for name in redyn.exercises.names():
        exercise = load(name)
        page = exercise._repr_html_()
        for question in exercise.questions:
            assert f"<code>{question.name}</code>" in page
            assert not any(hint in page for hint in question.hints)
            if question.kind == "formula" and len(question.answer) > 5:
                assert question.answer not in page


def test_text_is_escaped():
    question = {"name": "a", "kind": "choice", "ask": "<b>", "choices": ["<i>", "2"], "answer": {"choice": 1}}
    page = load({"title": "<script>", "task": "1 < 2", "questions": [question]})._repr_html_()
    assert "<script>" not in page
    assert "<i>" not in page
    assert "1 &lt; 2" in page


def test_verdicts_in_colour():
    question = load("9.6").question("T")
    shown = [question.check(answer)._repr_html_() for answer in ("m1 a1^2 theta_dot1^2/6", "m1 a1^2 theta_dot1^2", ...)]
    assert ">right<" in shown[0]
    assert ">wrong" in shown[1]
    assert ">not answered yet<" in shown[2]
    assert len({text.split(";")[0] for text in shown}) == 3
