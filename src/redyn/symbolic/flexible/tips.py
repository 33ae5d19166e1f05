"""Closed forms of links that bend in terms of where the tip is, much shorter than in amplitudes.

    x_p = L - sum H_kl e_k e_l / 2      place of the tip along the beam, from the root
    y_p = sum phi_k e_k                 across it; z_p likewise, y_dot_p and z_dot_p their rates
    sigma_k = sum H_kl e_l              by which the tip is drawn inwards per unit of mode k
    delta_p = sum dphi_k e_k            by which it turns about z; epsilon_p about -y, chi_p about x

The recursions run once more. The length of the beam is x_p plus the foreshortening, which then cancels; the other
abbreviations are put in where H_kk e_k and phi_1 e_1 are left, as far as formulas become shorter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, reduce
from itertools import permutations
from typing import Any

from redyn.model import Beam, Model
from redyn.symbolic.bodies import SymbolicRobot
from redyn.symbolic.closed import ClosedForms
from redyn.symbolic.flexible.beams import tip_angles
from redyn.symbolic.flexible.bodies import labelled, mode_name
from redyn.symbolic.notation import Expr, operations, sp, symbol
from redyn.symbolic.polynomials import Poly

_ANGLES = ("delta", "epsilon", "chi")
_LONGER = 1.15  # a sum of products may be so many times as long as a nested one
_DECIMAL = 1000  # a denominator above this is that of a decimal number
_TRIED = 4  # abbreviations; of more, not every order is tried


@dataclass(frozen=True)
class Rule:
    """A product of two symbols, and the polynomial in its place."""

    product: tuple[Expr, Expr]
    value: Expr
    moving: bool  # whether it is a rate


class TipForms(ClosedForms):
    """`definitions` say what each abbreviation is; quantities are those of `ClosedForms`, written with them."""

    def __init__(self, robot: SymbolicRobot, model: Model) -> None:
        self.definitions: dict[Expr, Expr] = {}
        self._rules: list[Rule] = []
        self._turned: list[tuple[Expr, Expr]] = []  # angles of tips, and their abbreviations
        bodies = list(robot.bodies)
        names = labelled(model).beams
        for i, body in enumerate(robot.bodies):
            if body.beam is not None:
                row = slice(i, i + body.beam.modes)
                bodies[i] = replace(body, beam=self._abbreviated(body.beam, names[i], robot.q[row], robot.qd[row]))
        super().__init__(replace(robot, bodies=tuple(bodies)), model)
        self.write = cache(self._written)

    def _abbreviated(self, beam: Beam, label: str, e: Sequence[Expr], e_dot: Sequence[Expr]) -> Beam:
        count = range(beam.bending)
        planes = [[k for k in count if beam.same_plane(k, l)] for l in count]
        along, half = symbol(f"x_p{label}"), sp.Rational(1, 2)
        shorter = half * sp.Add(*(beam.H[k][l] * e[k] * e[l] for k in count for l in planes[k]))
        self.definitions[along] = sp.sympify(beam.length) - shorter
        for axis, modes in (("y", range(beam.along_y)), ("z", range(beam.along_y, beam.bending))):
            for middle, amplitudes in (("", e), ("_dot", e_dot)):
                if modes:
                    total = sp.Add(*(beam.tip[k] * amplitudes[k] for k in modes))
                    self._define(f"{axis}{middle}_p{label}", total, beam.tip[modes[0]], amplitudes[modes[0]])
        for k in count:
            leaning = sp.Add(*(beam.H[k][l] * e[l] for l in planes[k]))
            self._define(f"sigma_{mode_name(label, k + 1)}", leaning, beam.H[k][k], e[k])
        for letter, angle in zip(_ANGLES, tip_angles(beam, e, sp.sympify), strict=True):
            if angle != 0:
                name = symbol(f"{letter}_p{label}")
                self.definitions[name] = angle
                self._turned.append((angle, name))
        return replace(beam, length=along + shorter)

    def _define(self, name: str, total: Expr, factor: Expr, amplitude: Expr) -> None:
        """total = factor amplitude + others; where its constants are numbers, it is left as it is."""
        if getattr(factor, "is_Symbol", False):
            self.definitions[symbol(name)] = total
            self._rules.append(Rule((factor, amplitude), symbol(name) - total + factor * amplitude, "dot" in name))

    def _symbols(self) -> set[Expr]:
        return super()._symbols() | set(self.definitions)

    def _run(self, name: str) -> list[Poly]:
        return [self._shortened(p) for p in super()._run(name)]

    def _shortened(self, p: Poly) -> Poly:
        """Abbreviations where they save terms: the order in which they are put in matters, so several are tried."""
        still = [rule for rule in self._rules if not rule.moving]
        orders = list(permutations(still)) if len(still) <= _TRIED else [still, still[::-1]]
        total = self.arith.ring.zero
        for part in self._by_rates(p):
            total = total + min((reduce(self._put, order, part) for order in orders), key=len)
        for rule in self._rules:
            if rule.moving:
                total = min(total, self._put(total, rule), key=len)
        return total

    def _by_rates(self, p: Poly) -> list[Poly]:
        """Coefficients of products of rates and accelerations, times these."""
        moving = [self.arith.index(s) for s in (*self.robot.qd, *self.robot.qdd)]
        parts: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
        for m, v in p.terms():
            parts.setdefault(tuple(m[k] for k in moving), {})[m] = v
        return [self.arith.ring.from_dict(part) for part in parts.values()]

    def _put(self, p: Poly, rule: Rule) -> Poly:
        a, b = (self.arith.index(s) for s in rule.product)
        value = self.arith.element(rule.value)
        while any(m[a] and m[b] for m in p.monoms()):
            rest, quotient = dict[tuple[int, ...], Any](), dict[tuple[int, ...], Any]()
            for m, v in p.terms():
                if m[a] and m[b]:
                    quotient[tuple(x - (k in (a, b)) for k, x in enumerate(m))] = v
                else:
                    rest[m] = v
            p = self.arith.ring.from_dict(rest) + self.arith.ring.from_dict(quotient) * value
        return p

    def _written(self, p: Poly) -> Expr:
        """Sums of products of amplitudes rather than nested ones, unless they are much longer."""
        nested = self.writer.write(p)
        amplitudes = [self.arith.index(s) for s in self.robot.q if str(s).startswith("e_")]
        parts: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
        for m, v in p.terms():
            rest = tuple(0 if k in amplitudes else x for k, x in enumerate(m))
            parts.setdefault(tuple(m[k] for k in amplitudes), {})[rest] = v
        symbols = [self.arith.ring.symbols[k] for k in amplitudes]
        terms: list[Expr] = []
        for powers, part in parts.items():
            product = sp.Mul(*(s**power for s, power in zip(symbols, powers, strict=True)))
            written = self.writer.write(self.arith.ring.from_dict(part))
            factor, rest = written.primitive()
            if factor.q > _DECIMAL:  # of decimals it would leave numbers of many digits
                factor, rest = sp.Integer(1), written
            terms.append(sp.Mul(factor, rest, product))
        flat = sp.Add(*terms)
        return flat if operations(flat) <= _LONGER * operations(nested) else nested

    def shown(self, expression: Expr) -> Expr:
        """With names for the angles of tips."""

        def is_wave(e: Expr) -> bool:
            return isinstance(e, sp.sin | sp.cos)

        def renamed(wave: Expr) -> Expr:
            angle = wave.args[0]
            for whole, name in self._turned:
                times = angle.coeff(whole.args[0] if whole.is_Add else whole)
                angle = sp.expand(angle - times * whole) + times * name
            return wave.func(angle)

        return expression.replace(is_wave, renamed)

    def entries(self, name: str) -> list[Expr]:
        """Of a recursion, flat."""
        return [self.shown(self.write(p)) for p in self.run(name)]

    @cached_property
    def terms(self) -> int:
        """Of all torques together."""
        return sum(map(len, self.run("inverse_dynamics")))

    def used(self, expressions: Sequence[Any]) -> list[tuple[Expr, Expr]]:
        """The abbreviations that these expressions need, with their definitions; rates follow from the others."""
        symbols = set[Expr]().union(*(sp.sympify(e).free_symbols for e in expressions))
        return [(name, value) for name, value in self.definitions.items() if name in symbols]
