"""Sine and cosine of a vector of angles, together.

The angle less the nearest multiple of pi/2 (three constants hold pi/2 to 160 bits, so nothing is lost up to 1e14),
polynomials for both functions on [-pi/4, pi/4], then quadrant and sign from the multiple. Larger angles are rare: they
are brought into one turn beforehand by the C library (see lower.py).
"""

from __future__ import annotations

import math
from typing import Any

from redyn.kernels.lanes import Lanes

LARGEST_ANGLE = 1e14

# pi/2 as a sum of three doubles.
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)
# Adding this pushes a double's fraction out: the sum holds the rounded integer in its low bits.
ROUNDER = 6755399441055744.0  # 1.5 * 2^52

# Minimax polynomials in z = r^2: sin(r) = r + r z S(z), cos(r) = 1 - z/2 + z^2 C(z); accurate to the last bit. The
# coefficients are those of fdlibm (Sun Microsystems, 1993), files k_sin.c and k_cos.c.
SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


def sincos(lanes: Lanes, x: Any) -> tuple[Any, Any]:
    """sin(x) and cos(x) for |x| up to LARGEST_ANGLE; NaN gives NaN."""
    b = lanes.b

    def fma(p: Any, q: Any, r: Any) -> Any:
        return lanes.intrinsic("fma", p, q, r)

    def polynomial(coefficients: tuple[float, ...], z: Any) -> Any:
        value = lanes.constant(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            value = fma(value, z, lanes.constant(coefficient))
        return value

    shifted = fma(x, lanes.constant(2 / math.pi), lanes.constant(ROUNDER))
    quadrant = b.bitcast(shifted, lanes.integers)
    multiple = b.fsub(lanes.constant(ROUNDER), shifted)  # negated
    r = x
    for part in HALF_PI:
        r = fma(multiple, lanes.constant(part), r)
    z = b.fmul(r, r)
    sine = fma(b.fmul(z, r), polynomial(SINE, z), r)
    lead = fma(lanes.constant(-0.5), z, lanes.constant(1.0))
    cosine = fma(b.fmul(z, z), polynomial(COSINE, z), lead)

    # Whether the quadrant is odd, as a sign: processors choose between vectors by sign bits.
    odd = b.icmp_signed("<", b.shl(quadrant, lanes.integer(63)), lanes.integer(0))

    def signed(value: Any, turns: Any) -> Any:
        """Negative in two of the four quadrants: bit 1 of the quadrant becomes the sign bit."""
        sign = b.shl(b.and_(turns, lanes.integer(2)), lanes.integer(62))
        return b.bitcast(b.xor(b.bitcast(value, lanes.integers), sign), lanes.vector)

    return (
        signed(b.select(odd, cosine, sine), quadrant),
        signed(b.select(odd, sine, cosine), b.add(quadrant, lanes.integer(1))),
    )
