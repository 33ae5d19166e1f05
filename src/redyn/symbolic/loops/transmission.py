"""The transmission, qd = G u and qdd = G u_dot + nu with nu = G_dot u for the independent rates u; and multipliers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from redyn.errors import InputError
from redyn.symbolic.loops.blocks import Block, decoupled
from redyn.symbolic.loops.closure import LoopClosure
from redyn.symbolic.notation import Expr, sp

_ZERO, _ONE = sp.Integer(0), sp.Integer(1)


class Transmission:
    """How rates, accelerations and multipliers follow from the blocks."""

    def __init__(self, closure: LoopClosure) -> None:
        self.closure = closure

    @cached_property
    def blocks(self) -> list[Block] | None:
        return decoupled(self.closure)

    @property
    def solved(self) -> list[Block]:
        """The blocks; an error where there are none."""
        if self.blocks is None:
            name = self.closure.closed.robot.name
            raise InputError(
                f"the transmission of {name} has no readable closed form; robot.transmission(q) has its numbers"
            )
        return self.blocks

    @cached_property
    def G(self) -> list[list[Expr]]:
        """A row per rate, a column per independent one."""
        return [self.sum([i]) for i in range(self.closure.n)]

    def sum(self, rates: Sequence[int]) -> list[Expr]:
        """The sum of some rows of G, which may be shorter than each: of a planar link, its whole turning."""
        weights: dict[int, Expr] = dict.fromkeys(rates, _ONE)
        for block in reversed(self.solved):
            for known in block.known:
                weights[known] = self._weight(block, weights, known)
        return [weights.get(j, _ZERO) for j in self.closure.independent]

    def _weight(self, block: Block, weights: Mapping[int, Expr], known: int) -> Expr:
        """Of a known rate, in place of the unknown ones of a block; whole numbers are added above the fraction bar."""
        found, top = weights.get(known, _ZERO), self.closure.closed.arith.ring.zero
        for rate in block.unknown:
            weight = weights.get(rate, _ZERO)
            if weight.is_Integer and block.expanded:
                top = top + int(weight) * block.numerator(rate, known)
            elif weight != 0:
                found = found + weight * block.spelled(block.share(rate, known))
        if not top:
            return found
        if found.is_Integer:
            return block.over(self.closure.reduced(top + int(found) * block.determinant_polynomial))
        return found + block.over(self.closure.reduced(top))

    def rates(self, gamma: Sequence[Expr]) -> list[Expr]:
        """x with J x = gamma and the independent ones zero: nu for the gamma of the rates."""
        found = [_ZERO] * self.closure.n
        for block in self.solved:
            for u in block.unknown:
                own = sum((block.spelled(block.coefficient(u, i)) * gamma[i] for i in block.rows), _ZERO)
                before = (block.spelled(block.share(u, k)) * found[k] for k in block.known if found[k] != 0)
                found[u] = own + sum(before, _ZERO)
        return found

    def multipliers(self, tau: Sequence[Expr]) -> list[Expr]:
        """lambda with J_p^T lambda = tau_p over the dependent rates p: the last block first.

        What is left of tau at an unknown rate adds its coefficients to the multipliers, and its shares to what is left
        at the rates before.
        """
        found, left = [_ZERO] * len(self.closure.rows), list(tau)
        for block in reversed(self.solved):
            for u in block.unknown:
                for i in block.rows:
                    found[i] = found[i] + block.spelled(block.coefficient(u, i)) * left[u]
            for k in block.known:
                more = (block.spelled(block.share(u, k)) * left[u] for u in block.unknown)
                left[k] = left[k] + sum(more, _ZERO)
        return found
