"""Notation: the symbols of a robot, and expressions written as a person would.

Sines and cosines of joint angles are abbreviated, c_{23} for cos(theta_2 + theta_3), and so are sums of rates, as in
theta_dot_12. Masses come first in a product, then lengths, then sines and rates: the order of the book.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, cast

import sympy  # pyright: ignore[reportMissingTypeStubs]

Expr = Any  # SymPy's own annotations are too loose for strict checking.
sp = cast(Any, sympy)

_GREEK = (
    "theta",
    "alpha",
    "phi",
    "tau",
    "omega",
    "beta",
    "gamma",
    "delta",
    "lambda",
    "Gamma",
    "Delta",
    "nu",
    "sigma",
    "psi",
    "epsilon",
    "chi",
)
_ACCENTS = {"dot": r"\dot", "ddot": r"\ddot", "tilde": r"\tilde", "hat": r"\hat"}
_LIKE_RATES = ("G", "G'", "Gamma", "nu", "tau^t")  # last in a product, as rates are
_QUASI_RATE = r"(omega|v)_\d*[xyz]"  # components in the axes of a link, which are no derivatives
BREAK = "\x01"  # where a long formula may be broken
_LARGE = 10**6  # a denominator above this is a decimal number rather than a fraction


def symbol(name: str) -> Expr:
    """A plain SymPy symbol, without assumptions, so that it equals `sympy.Symbol("m_1")`."""
    return sp.Symbol(name)


def joint_symbols(letters: Sequence[str], accent: str = "") -> list[Expr]:
    """theta_1, b_2, ... or their rates: `accent` is "dot" or "ddot"."""
    middle = f"_{accent}" if accent else ""
    return [symbol(f"{letter}{middle}_{i}") for i, letter in enumerate(letters, start=1)]


def symbol_latex(name: str) -> str:
    r"""
    >>> symbol_latex("theta_dot_12"), symbol_latex("I_2zz"), symbol_latex("m_1")
    ('\\dot{\\theta}_{12}', 'I_{2zz}', 'm_{1}')
    >>> symbol_latex("tau^t_2"), symbol_latex("G'_21")
    ('\\tau^{t}_{2}', "G'_{21}")
    """
    head, *rest = name.split("_")
    head, _, raised = head.partition("^")
    head = "phi'" if head == "dphi" else head  # a name that Python can read
    letter = head.rstrip("'")
    letter = "\\" + letter if letter in _GREEK else letter if len(letter) == 1 else rf"\mathit{{{letter}}}"
    letter += "'" * head.count("'") + (f"^{{{raised}}}" if raised else "")
    if rest and rest[0] in _ACCENTS:
        letter = rf"{_ACCENTS[rest.pop(0)]}{{{letter}}}"
    below = ["\\" + part if part in _GREEK else part for part in rest]
    return letter + (f"_{{{','.join(below)}}}" if below else "")


def number_text(value: Expr, latex: bool) -> str:
    """Fractions with small denominators; other numbers as decimals."""
    p, q = int(value.p), int(value.q)
    if q == 1:
        return str(p)
    if _decimal(value):
        text = f"{float(value):.6g}"
        if "e" in text and latex:
            base, power = text.split("e")
            text = rf"{base} \times 10^{{{int(power)}}}"
        return text
    return rf"\frac{{{p}}}{{{q}}}" if latex else f"{p}/{q}"


def _decimal(value: Expr) -> bool:
    """Whether a rational number is written as a decimal."""
    return bool(value.q > _LARGE or (value.q > 1000 and abs(value.p) > 1000))


def angle_sum(angle: Expr) -> list[tuple[int, Expr]] | None:
    """[(coefficient, symbol), ...] of an integer combination of symbols, in the order of the joints."""
    found: list[tuple[int, Expr]] = []
    for term in sp.Add.make_args(angle):
        factor, rest = term.as_coeff_Mul()
        if not (factor.is_Integer and rest.is_Symbol):
            return None
        found.append((int(factor), rest))
    return sorted(found, key=lambda item: _natural(item[1].name))


def _natural(name: str) -> tuple[Any, ...]:
    return tuple(int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name))


def short_angle(angle: Expr) -> str | None:
    """The subscript of c_{23}: joint numbers of a plain sum of angles; None for other expressions."""
    found = angle_sum(angle)
    if not found or any(factor != 1 for factor, _ in found):
        return None
    numbers = [str(s.name).removeprefix("theta_") for _, s in found]
    if not all(str(s.name).startswith("theta_") and n.isdigit() for (_, s), n in zip(found, numbers, strict=True)):
        return None
    if len(numbers) > 1 and any(len(n) > 1 for n in numbers):
        return ",".join(numbers)
    return "".join(numbers)


def rate_sum(expression: Expr) -> tuple[str, str] | None:
    """("theta_dot", "12") of theta_dot_1 + theta_dot_2: neighbouring joints, each once."""
    if not expression.is_Add:
        return None
    parts: list[tuple[str, int]] = []
    for term in expression.args:
        match = re.fullmatch(r"(theta_d?dot)_(\d)", term.name) if term.is_Symbol else None
        if match is None:
            return None
        parts.append((match[1], int(match[2])))
    parts.sort()
    numbers = [number for _, number in parts]
    if len({accent for accent, _ in parts}) > 1 or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    return parts[0][0], "".join(map(str, numbers))


def _like_rate(factor: Expr) -> bool:
    return bool(factor.is_Symbol and factor.name.split("_")[0] in _LIKE_RATES)


def _rank(factor: Expr) -> tuple[Any, ...]:
    """Sort key of a factor in a product."""
    base = factor.base if factor.is_Pow else factor
    if base.is_Symbol:
        name = str(base.name)
        group = {"m": 0, "I": 0, "g": 1}.get(name.split("_")[0], 2)
        if (
            "dot" in name or _like_rate(base) or name.startswith("e_") or re.fullmatch(_QUASI_RATE, name)
        ):  # amplitudes of modes beside their rates
            group = 6
        return (group, _natural(name))
    if isinstance(base, sp.cos | sp.sin):
        found = angle_sum(base.args[0]) or []
        return (4, tuple(_natural(s.name) for _, s in found), isinstance(base, sp.sin))
    if rate_sum(base) or (base.is_Add and all(_like_rate(term) or term.is_Number for term in base.args)):
        return (6, ())
    return (5, ()) if base.is_Add else (7, ())


def _negative(term: Expr) -> bool:
    return bool(term.as_coeff_Mul()[0].is_negative)


class Typesetter:
    """Writes a SymPy expression as LaTeX, or as plain text that Python reads back (`c23`, `theta_dot_12`).

    >>> a, t2, t3 = sympy.symbols("a_1 theta_2 theta_3")
    >>> print(Typesetter().write(3 * a**2 * sympy.cos(t2 + t3) / 2))
    \\frac{3}{2} a_{1}^{2} c_{23}
    >>> print(Typesetter(latex=False).write(3 * a**2 * sympy.cos(t2 + t3) / 2))
    3/2*a_1**2*c23
    """

    def __init__(self, latex: bool = True, short: bool = True, breaks: bool = False) -> None:
        """`breaks` marks every possible line break, and keeps brackets that contain one."""
        self.latex, self.short, self.breaks = latex, short, breaks

    def write(self, expression: Expr) -> str:
        e = sp.sympify(expression)
        if e.is_Add:
            return self._sum(e)
        if e.is_Mul:
            return self._product(e)
        if e.is_Pow:
            return self._power(e)
        if e.is_Rational:
            return number_text(e, self.latex)
        if e.is_Symbol:
            return symbol_latex(e.name) if self.latex else str(e.name)
        if isinstance(e, sp.cos | sp.sin):
            return self._trig(e, "")
        return sp.latex(e) if self.latex else str(e)

    def _sum(self, e: Expr) -> str:
        rates = rate_sum(e)
        if rates and self.short:
            name = f"{rates[0]}_{rates[1]}"
            return symbol_latex(name) if self.latex else name
        terms = self.ordered_terms(e)
        text = self.write(terms[0])
        gap = f" {BREAK}" if self.breaks else " "
        for term in terms[1:]:
            text += f"{gap}- {self.write(-term)}" if _negative(term) else f"{gap}+ {self.write(term)}"
        return text

    def ordered_terms(self, e: Expr) -> list[Expr]:
        """The terms of a sum as they are written, one after the other."""

        def key(term: Expr) -> tuple[Any, ...]:
            factors = sorted(map(_rank, sp.Mul.make_args(term.as_coeff_Mul()[1])), key=str)
            trig = sum(1 for f in factors if f[0] == 4)
            return (_negative(term), trig, str(factors))

        return sorted(e.args, key=key)

    def _product(self, e: Expr) -> str:
        number, rest = e.as_coeff_Mul()
        below = [1 / f for f in sp.Mul.make_args(rest) if f.is_Pow and _negative(f.exp)]
        above = [f for f in sp.Mul.make_args(rest) if not (f.is_Pow and _negative(f.exp))]
        sign = "-" if number.is_negative else ""
        number = abs(number)
        if below:
            over, under = (number, sp.Integer(1)) if _decimal(number) else (sp.Integer(number.p), sp.Integer(number.q))
            top = self._factors(over, above)
            bottom = self._factors(under, below)
            if self.latex:
                return rf"{sign}\frac{{{top}}}{{{bottom}}}".replace(BREAK, "")  # a fraction stays in one line
            return f"{sign}({top})/({bottom})"
        return sign + self._factors(number, above)

    def _factors(self, number: Expr, factors: Iterable[Expr]) -> str:
        factors = sorted(factors, key=lambda f: str(_rank(f)))
        texts = [] if number == 1 and factors else [number_text(number, self.latex)]
        alone = not texts and len(factors) == 1
        texts += [self.write(f) if alone else self._factor(f) for f in factors]
        return (" " if self.latex else "*").join(texts)

    def _factor(self, f: Expr) -> str:
        text = self.write(f)
        return self._wrapped(text) if f.is_Add and not (self.short and rate_sum(f)) else text

    def _wrapped(self, text: str) -> str:
        if self.breaks:
            return rf"\bigl({text}\bigr)"
        return rf"\left({text}\right)" if self.latex else f"({text})"

    def _power(self, e: Expr) -> str:
        base, power = e.base, e.exp
        if _negative(power):
            return self._product(sp.Mul(e, evaluate=False)) if e.is_Mul else self._fraction(1 / e)
        if isinstance(base, sp.cos | sp.sin):
            return self._trig(base, self.write(power))
        if power == sp.Rational(1, 2):
            return rf"\sqrt{{{self.write(base)}}}" if self.latex else f"sqrt({self.write(base)})"
        text = self._factor(base)
        return f"{text}^{{{self.write(power)}}}" if self.latex else f"{text}**{self.write(power)}"

    def _fraction(self, below: Expr) -> str:
        text = self.write(below)
        return rf"\frac{{1}}{{{text}}}" if self.latex else f"1/({text})"

    def _trig(self, e: Expr, power: str) -> str:
        letter = "c" if isinstance(e, sp.cos) else "s"
        subscript = short_angle(e.args[0]) if self.short else None
        if subscript is not None:
            if self.latex:
                return f"{letter}_{{{subscript}}}" + (f"^{{{power}}}" if power else "")
            return f"{letter}{subscript.replace(',', '_')}" + (f"**{power}" if power else "")
        name, angle = ("cos" if letter == "c" else "sin"), self.write(e.args[0])
        if self.latex:
            angle = angle.replace(BREAK, "")
            raised = f"^{{{power}}}" if power else ""
            return rf"\{name}{raised}\left({angle}\right)"
        return f"{name}({angle})" + (f"**{power}" if power else "")


def operations(expression: Expr) -> int:
    """Number of + - * / and powers as written; c_{23}, theta_dot_{12} and 1/2 count as one symbol each.

    >>> x, y = sympy.symbols("x y")
    >>> operations(x**2 * (x + y) / 2)
    4
    """
    e = sp.sympify(expression)
    if e.is_Atom:
        return 0
    if isinstance(e, sp.cos | sp.sin) or rate_sum(e):
        return 0
    if e.is_Add:
        return len(e.args) - 1 + sum(operations(term) for term in e.args)
    if e.is_Mul:
        number, rest = e.as_coeff_Mul()
        factors = sp.Mul.make_args(rest)
        count = sum(operations(f) for f in factors) + len(factors) - 1
        return count + int(abs(number) != 1)
    if e.is_Pow:
        return operations(e.base) + 1
    return 1 + sum(operations(argument) for argument in e.args)


def lines(left: str, expression: Expr, width: int = 92) -> list[str]:
    """`left = expression` as LaTeX, broken at plus and minus signs into lines of about `width` letters.

    >>> x, y = sympy.symbols("x y")
    >>> lines("f", x + y, width=6)
    ['f = x', '+ y']
    """
    found: list[str] = []
    current = f"{left} = "
    for piece in Typesetter(breaks=True).write(expression).split(BREAK):
        begun = bool(found) or not current.endswith("= ")
        if begun and seen_length(current) + seen_length(piece) > width:
            found.append(current.strip())
            current = ""
        current += piece
    return [*found, current.strip()]


def seen_length(latex: str) -> int:
    """Approximate number of visible letters of a formula."""
    text = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", lambda m: max(m[1], m[2], key=len), latex)
    text = re.sub(r"\\(dot|ddot|bigl|bigr|left|right|tilde|hat|mathbf|boldsymbol)\b", "", text)
    text = re.sub(r"[{}_^\s]", "", re.sub(r"\\[a-zA-Z]+", "x", text))
    return len(text) + 2 * len(re.findall(r"[-+=]", text))  # space around signs
