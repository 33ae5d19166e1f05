"""The centre line of a bent beam, at chosen places along it: what is needed to draw it, or to know where it is."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.model.beam import Beam

Array = NDArray[np.float64]


class CentreLine(NamedTuple):
    """Mode shapes of a beam at places x along it; points are in the axes of its root."""

    x: Array  # (P,)
    y: Array  # (modes along y, P)
    z: Array  # (modes along z, P)
    H: Array  # (bending modes, bending modes, P): zero without foreshortening

    def at(self, amplitudes: Array) -> Array:
        """The points for elastic coordinates (..., modes): (..., P, 3), foreshortening included."""
        count = len(self.y)
        bending = amplitudes[..., : count + len(self.z)]
        along = self.x - 0.5 * np.einsum("...k,klp,...l->...p", bending, self.H, bending)
        return np.stack([along, bending[..., :count] @ self.y, bending[..., count:] @ self.z], axis=-1)


def centre_line(beam: Beam, x: Array) -> CentreLine:
    """The mode shapes of a beam at these places, which rise."""
    assert beam.curves is not None
    y, z, _ = beam.curves.values(x)
    bends = np.any(np.array(beam.H, dtype=np.float64))
    return CentreLine(x, y, z, shortening(beam, x) if bends else np.zeros((beam.bending, beam.bending, len(x))))


def shortening(beam: Beam, x: Array) -> Array:
    """H(x), (modes, modes, points): the integrals of phi_k' phi_l' from the root, zero between planes."""
    assert beam.curves is not None
    nodes, weights = np.polynomial.legendre.leggauss(24)
    edges = np.union1d(np.concatenate([[0.0], x]), _stations(beam))
    total = np.zeros((beam.bending, beam.bending))
    found = np.zeros((beam.bending, beam.bending, len(x)))
    same = np.equal.outer(*[np.arange(beam.bending) < beam.along_y] * 2)
    for start, end in pairwise(edges.tolist()):
        at = (start + end) / 2 + (end - start) / 2 * nodes
        slopes = np.vstack(beam.curves.values(at, 1)[:2])
        total = total + (slopes * (weights * (end - start) / 2)) @ slopes.T * same
        found[:, :, x >= end] = total[:, :, None]
    return found


def _stations(beam: Beam) -> Array:
    assert beam.curves is not None
    shapes = beam.curves.y or beam.curves.z
    return np.zeros(0) if shapes is None else shapes.basis.stations
