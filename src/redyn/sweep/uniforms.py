"""The random numbers of a sample, from the seed and the number of the sample alone.

Sample i has those of NumPy's

    np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(i,)))).random(count)

to the last bit, so that neither shards nor workers matter and anybody can draw a sample again. Making these objects
takes NumPy some 15 microseconds per sample; here both algorithms, SeedSequence's hash and PCG64 (O'Neill 2014,
XSL-RR), run on whole arrays of samples.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Words = NDArray[np.uint32]
Longs = NDArray[np.uint64]

POOL = 4  # words of SeedSequence's pool
BLOCK = 4096  # samples whose numbers stay in the processor's cache
LARGEST_SEED = 2**128  # a longer one would not fit the pool

_A, _A_STEP = 0x43B0D7E5, 0x931E8875
_B, _B_STEP = 0x8B51F9DD, 0x58F38DED
_LEFT, _RIGHT = np.uint32(0xCA01F9DD), np.uint32(0x4973F715)
_16 = np.uint32(16)

_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
_M_HIGH, _M_LOW = np.uint64(_MULTIPLIER >> 64), np.uint64(_MULTIPLIER & (2**64 - 1))
_M_LOW_HIGH, _M_LOW_LOW = np.uint64((_MULTIPLIER >> 32) & (2**32 - 1)), np.uint64(_MULTIPLIER & (2**32 - 1))
_LOW_HALF, _32, _63, _58, _11, _1 = (np.uint64(x) for x in (2**32 - 1, 32, 63, 58, 11, 1))


def uniforms(seed: int, first: int, count: int, draws: int) -> Array:
    """Numbers in [0, 1) of the samples first, first + 1, ...: (count, draws).

    >>> import numpy as np
    >>> sequence = np.random.SeedSequence(7, spawn_key=(1000,))
    >>> bool((uniforms(7, 1000, 1, 5)[0] == np.random.Generator(np.random.PCG64(sequence)).random(5)).all())
    True
    """
    found = np.empty((count, draws))
    if not draws:
        return found
    for start in range(0, count, BLOCK):
        rows = min(BLOCK, count - start)
        samples = np.arange(first + start, first + start + rows, dtype=np.uint64)
        for part in _of_equal_length(samples):
            place = start + int(part[0]) - (first + start)
            found[place : place + len(part)] = _drawn(_states(seed, part), draws)
    return found


def _of_equal_length(samples: Longs) -> Iterator[Longs]:
    """Numbers below 2^32 are one word, larger ones two."""
    for part in (samples[samples < 2**32], samples[samples >= 2**32]):
        if len(part):
            yield part


def _words(number: int) -> list[int]:
    """32 bits each, the lowest first."""
    found = [number & 0xFFFFFFFF]
    while number >> 32:
        number >>= 32
        found.append(number & 0xFFFFFFFF)
    return found


def _states(seed: int, samples: Longs) -> list[Longs]:
    """SeedSequence(seed, spawn_key=(i,)).generate_state(4, uint64) of every sample."""
    own = _words(seed)
    own += [0] * (POOL - len(own))
    key = [(samples & _LOW_HALF).astype(np.uint32)]
    if int(samples[0]) >> 32:
        key.append((samples >> _32).astype(np.uint32))
    entropy = [np.full(len(samples), word, dtype=np.uint32) for word in own] + key
    constant = _A

    def hashed(value: Words) -> Words:
        nonlocal constant
        value = value ^ np.uint32(constant)
        constant = constant * _A_STEP & 0xFFFFFFFF
        value = value * np.uint32(constant)
        return value ^ (value >> _16)

    def mixed(x: Words, y: Words) -> Words:
        found = _LEFT * x - _RIGHT * y
        return found ^ (found >> _16)

    pool = [hashed(word) for word in entropy[:POOL]]
    for source in range(POOL):
        for target in range(POOL):
            if source != target:
                pool[target] = mixed(pool[target], hashed(pool[source]))
    for word in entropy[POOL:]:
        for target in range(POOL):
            pool[target] = mixed(pool[target], hashed(word))
    constant, state = _B, list[Longs]()
    for k in range(2 * POOL):
        value = pool[k % POOL] ^ np.uint32(constant)
        constant = constant * _B_STEP & 0xFFFFFFFF
        value = value * np.uint32(constant)
        state.append((value ^ (value >> _16)).astype(np.uint64))
    return [low | (high << _32) for low, high in zip(state[::2], state[1::2], strict=True)]


def _drawn(state: list[Longs], draws: int) -> Array:
    """PCG64 from these four words: (samples, draws)."""
    start_high, start_low, sequence_high, sequence_low = state
    odd = (sequence_high << _1) | (sequence_low >> _63), (sequence_low << _1) | _1
    high, low = _sum(odd, (start_high, start_low))  # the state was zero, and made one step
    high, low = _step(high, low, odd)
    found = np.empty((draws, len(low)))
    for k in range(draws):
        high, low = _step(high, low, odd)
        value, turn = high ^ low, high >> _58
        value = (value >> turn) | (value << ((np.uint64(64) - turn) & _63))
        found[k] = value >> _11
    found *= 2.0**-53
    return found.T


def _sum(x: tuple[Longs, Longs], y: tuple[Longs, Longs]) -> tuple[Longs, Longs]:
    """Of two numbers of 128 bits."""
    low = x[1] + y[1]
    return x[0] + y[0] + (low < y[1]), low


def _step(high: Longs, low: Longs, odd: tuple[Longs, Longs]) -> tuple[Longs, Longs]:
    """state * multiplier + odd, modulo 2^128."""
    a, b = low >> _32, low & _LOW_HALF
    cross = b * _M_LOW_HIGH
    middle = a * _M_LOW_LOW + ((b * _M_LOW_LOW) >> _32)
    carried = (middle & _LOW_HALF) + (cross & _LOW_HALF)
    top = a * _M_LOW_HIGH + (middle >> _32) + (cross >> _32) + (carried >> _32)
    return _sum((top + high * _M_LOW + low * _M_HIGH, low * _M_LOW), odd)
