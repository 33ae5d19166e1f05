"""Formulas as people type them, and what strangers may type."""

import time

import numpy as np
import pytest
import sympy

from redyn.errors import InputError
from redyn.exercises.formula import LONGEST, parse_formula
from redyn.exercises.reading import read_array, read_choice
from redyn.exercises.units import split_unit

SYMBOLS = ["m_1", "a_1", "a_2", "g", "theta_1", "theta_2", "theta_dot_1", "theta_dot_2"]
VALUES = {
    name: np.array(value) for name, value in zip(SYMBOLS, (2.0, 3.0, 5.0, 9.81, 0.3, 0.4, 0.7, -0.2), strict=True)
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/3 m1 a1^2", 6.0),
        ("1/3*m_1*a_1**2", 6.0),
        ("-a1^2", -9.0),
        ("(-a1)^2", 9.0),
        ("2^3^2", 512.0),
        ("2^-1", 0.5),
        ("6/2 a1", 9.0),
        ("a1(m1 + 1)", 9.0),
        ("2(3)(4)", 24.0),
        ("1e-3 + .5 + 2.", 2.501),
        ("--+2", 2.0),
        ("c12", np.cos(0.7)),
        ("s_1 c_2", np.sin(0.3) * np.cos(0.4)),
        ("theta_dot_12^2", 0.25),
        ("θ̇₁·m₁", 1.4),
        ("½ m1 a1²", 9.0),
        ("sqrt(a1^2) + abs(-1) + pi", 4.0 + np.pi),
        ("sin(θ1)^2 + cos(theta_1)**2", 1.0),
        ("a1 \u2212 a1", 0.0),
    ],
)
def test_formulas(text, value):
    assert float(parse_formula(text, SYMBOLS)(VALUES)) == pytest.approx(value, abs=1e-14)


def test_as_sympy_reads_them():
    """Random formulas: the same value as SymPy's."""
    rng = np.random.default_rng(3)

    def grown(depth):
        if depth == 0:
            return rng.choice([*SYMBOLS, "2", "0.5", "3"])
        a, b = grown(depth - 1), grown(depth - 1)
        return rng.choice(
            [f"({a} + {b})", f"{a} * {b}", f"({a} - {b})", f"sin({a})*{b}", f"-({a})", f"{a}/(2 + ({b})**2)"]
        )

    for _ in range(40):
        text = str(grown(3))
        wanted = float(sympy.sympify(text).subs({name: float(value) for name, value in VALUES.items()}))
        assert float(parse_formula(text, SYMBOLS)(VALUES)) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("m1 +", "ends too early"),
        ("m1 * * a1", "'\\*' is not expected"),
        ("(m1", "not closed"),
        ("m1)", "'\\)' is not expected"),
        ("sin theta_1", "write sin\\(x\\)"),
        ("sin^2(theta_1)", "sin\\(x\\)\\^2"),
        ("m1a1", "did you mean 'm1 a1'"),
        ("thetta_1", "did you mean 'theta_1'"),
        ("foo", "unknown name 'foo'"),
        ("m1 = 2", "'= 2' is not understood"),
        ("__import__('os').system('x')", "is not understood"),
        ("theta_1.__class__", "not understood"),
        ("lambda: 0", "not understood"),
        ("(" * 1000 + "1", "nested too deeply"),
        ("-" * 1500 + "1", "nested too deeply"),
        ("2" + "^2" * 500, "nested too deeply"),
        ("1+" * LONGEST + "1", "more than 2,000 characters"),
        ("m1\0", "not understood"),
        ("c13", "unknown name 'c13'"),
    ],
)
def test_what_is_no_formula(text, message):
    with pytest.raises(InputError, match=message):
        parse_formula(text, SYMBOLS)


def test_huge_numbers_are_quick():
    began = time.perf_counter()
    for text in ("9^9^9^9^9", "1e999", "exp(exp(exp(99)))", "+".join(["9^9^9"] * 300), "(" * 30 + "9" + "^9)" * 30):
        assert np.isinf(parse_formula(text)({}))
    assert time.perf_counter() - began < 1.0


@pytest.mark.parametrize(
    ("text", "shape", "units"),
    [
        ("3", (), [""]),
        ("3 Nm", (), ["Nm"]),
        ("3 N*m", (), ["N*m"]),
        ("30°", (), ["°"]),
        ("1, 2 Nm", (2,), ["Nm", "Nm"]),
        ("1 Nm, 2 mNm", (2,), ["Nm", "mNm"]),
        ("[1, 2] Nm", (2,), ["Nm", "Nm"]),
        ("[1]", (1,), [""]),
        ("1, 2; 3, 4", (2, 2), [""] * 4),
        ("[1, 2; 3, 4]", (2, 2), [""] * 4),
        ("[[1, 2], [3, 4]] rad/s^2", (2, 2), ["rad/s^2"] * 4),
        ("1, 2\n3, 4\n", (2, 2), [""] * 4),
        ("[1; 2; 3]", (3, 1), [""] * 3),
    ],
)
def test_arrays(text, shape, units):
    typed = read_array(text, [], units=True)
    assert (typed.shape, typed.units) == (shape, units)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2", "not closed"),
        ("[[1, 2], [3]]", "different lengths: 2, 1"),
        ("[[1, 2], 3]", "brackets|not closed"),
        ("[1, [2]]", "do not match"),
        ("[1, 2] furlongs", "unknown unit 'furlongs'"),
        ("1, , 2", "an entry is empty"),
        ("1," * 3000 + "1", "entries"),
        ("x" * 30_000, "characters"),
        ("3 apples", "a number is expected, without 'apples'"),
    ],
)
def test_what_is_no_array(text, message):
    with pytest.raises(InputError, match=message):
        read_array(text, [], units=True)


def test_units_are_the_last_word():
    assert split_unit("9.81 m/s^2") == ("9.81", "m/s^2")
    assert split_unit("2 kg m^2") == ("2", "kg m^2")
    assert split_unit("pi rad") == ("pi", "rad")
    assert split_unit("abs(m)") == ("abs(m)", "")


def test_choices():
    assert read_choice(" 3,1 ", ["a", "b", "c"]) == [1, 3]
    for text in ("", "4", "0", "-1", "x", "1 and 2", "9" * 5000):
        with pytest.raises(InputError, match="from 1 to 3"):
            read_choice(text, ["a", "b", "c"])
