"""Random serial robots of any length, for tests, counts and benchmarks."""

from __future__ import annotations

import math

import numpy as np

from redyn.description.checks import complete
from redyn.description.schema import JointDescription, LinkDescription, RobotDescription
from redyn.errors import InputError


def random_chain(n: int, seed: int = 0) -> RobotDescription:
    """n revolute joints in standard DH, base frame on joint 1, with no convenient zeros anywhere.

    Links shrink with the length of the chain, so that a thousand of them remain a robot and not a railway.
    """
    if isinstance(n, bool) or not hasattr(n, "__index__") or not 1 <= n <= 100_000:
        raise InputError(f"chain(n): n must be a whole number from 1 to 100000, got {n!r}")
    try:
        rng = np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise InputError(f"chain: seed must be a whole number from 0, got {seed!r}") from None
    scale = min(1.0, 6.0 / n)
    links: list[LinkDescription] = []
    for _ in range(n):
        mass = float(rng.uniform(1.0, 3.0)) * scale
        spread = rng.uniform(-0.1, 0.1, (3, 3))
        moments = (spread @ spread.T + 0.02 * np.eye(3)) * mass * scale**2  # second moments: any PSD matrix will do
        inertia = np.trace(moments) * np.eye(3) - moments
        links.append(
            LinkDescription(
                joint=JointDescription(type="revolute"),
                a=float(rng.uniform(0.1, 0.5)) * scale,
                b=float(rng.uniform(0.1, 0.5)) * scale,
                alpha=float(rng.uniform(0.3, 1.2) * rng.choice([-1.0, 1.0])),
                mass=mass,
                com=tuple(float(x) * scale for x in rng.uniform(-0.3, 0.3, 3)),  # pyright: ignore[reportArgumentType]
                inertia=tuple(float(inertia[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))),  # pyright: ignore[reportArgumentType]
            )
        )
    gravity = tuple(float(x) for x in 9.81 * np.array([0.36, -0.48, -0.8]) / math.sqrt(0.36**2 + 0.48**2 + 0.64))
    return complete(
        RobotDescription(
            name=f"chain-{n}-{seed}",
            source="random, made by redyn.chain",
            convention="dh",
            gravity=gravity,  # pyright: ignore[reportArgumentType]
            links=links,
        )
    )
