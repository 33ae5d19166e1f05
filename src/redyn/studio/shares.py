"""Shares of what all users have together, such that some is always left for those who come."""

from __future__ import annotations


def fair_share(used: int, most: int, factor: float = 2.0) -> float:
    """How many of `most` one address may have when `used` of them are taken by everybody: twice as many as are free.

    So a class behind one address may have two thirds of them, two classes two fifths each; somebody who comes from
    elsewhere still finds some. (The dynamic threshold of shared buffers, Choudhury and Hahne 1998.)

    >>> [fair_share(used, 300) for used in (0, 199, 200, 299, 300)]
    [600.0, 202.0, 200.0, 2.0, 0.0]
    """
    return factor * (most - used)
