"""A router that is not the same in every second: its chance, and what it forwards of a trial.

What theory.simulated counts, in the Python that MicroPython knows too; and the random numbers of
CPython's `random.Random`, so that a seed gives the same router in every host.
"""

from __future__ import annotations

import math
from typing import Any

_WORDS = 624
_ALL = 0xFFFFFFFF


class Chance:
    """The numbers that `random.Random(seed)` gives, for a seed of one word.

    MT19937 (Matsumoto and Nishimura 1998), seeded by its init_by_array; `gauss` is Box and
    Muller's pair as CPython takes it.  MicroPython's own generator is another one.
    """

    def __init__(self, seed: int) -> None:
        if not 0 <= seed <= _ALL:
            raise ValueError("a seed is a whole number from 0 to 2**32 - 1")
        words = [19650218]
        for i in range(1, _WORDS):
            words.append((1812433253 * (words[-1] ^ (words[-1] >> 30)) + i) & _ALL)
        i = 1
        for _ in range(_WORDS):
            words[i] = (
                (words[i] ^ ((words[i - 1] ^ (words[i - 1] >> 30)) * 1664525)) + seed
            ) & _ALL
            i = _next(words, i)
        for _ in range(_WORDS - 1):
            mixed = words[i] ^ ((words[i - 1] ^ (words[i - 1] >> 30)) * 1566083941)
            words[i] = (mixed - i) & _ALL
            i = _next(words, i)
        words[0] = 0x80000000
        self._words = words
        self._used = _WORDS
        self._spare: float | None = None

    def random(self) -> float:
        """A number from 0 up to 1, evenly spread."""
        high = self._word() >> 5
        return (high * 67108864 + (self._word() >> 6)) / 9007199254740992

    def gauss(self, mean: float, deviation: float) -> float:
        """A number of the normal distribution."""
        found, self._spare = self._spare, None
        if found is None:
            turn = self.random() * 2 * math.pi
            far = math.sqrt(-2.0 * math.log(1.0 - self.random()))
            found = math.cos(turn) * far
            self._spare = math.sin(turn) * far
        return mean + found * deviation

    def _word(self) -> int:
        if self._used == _WORDS:
            self._refill()
        word = self._words[self._used]
        self._used += 1
        word ^= word >> 11
        word ^= (word << 7) & 0x9D2C5680
        word ^= (word << 15) & 0xEFC60000
        return word ^ (word >> 18)

    def _refill(self) -> None:
        words = self._words
        for i in range(_WORDS):
            both = (words[i] & 0x80000000) | (words[(i + 1) % _WORDS] & 0x7FFFFFFF)
            mixed = words[(i + 397) % _WORDS] ^ (both >> 1)
            words[i] = mixed ^ 0x9908B0DF if both & 1 else mixed
        self._used = 0


def _next(words: list[int], i: int) -> int:
    if i + 1 < _WORDS:
        return i + 1
    words[0] = words[_WORDS - 1]
    return 1


def parts(seconds: float, count: int) -> list[tuple[int, int, float]]:
    """A trial's frames by the second in which they are sent: first, last (excluded), length."""
    found = []
    start, first = 0.0, 0
    while start < seconds:
        length = min(1.0, seconds - start)
        start += length
        last = count if start >= seconds else round(count * start / seconds)
        found.append((first, last, length))
        first = last
    return found


def spiked(frames: int, share: float) -> int:
    """How many of a second's frames a spike takes."""
    return min(frames, math.ceil(share * frames))


def room(capacity: float, length: float) -> int:
    """How many frames are served in `length` seconds; one whose service has begun is forwarded."""
    return math.ceil(capacity * length)


def capacity_now(chance: Any, capacity: float, deviation: float) -> float:
    """The capacity of a second: normal around `capacity`, `deviation` a share of it."""
    return max(0.0, float(chance.gauss(capacity, deviation * capacity)))


def chance_in(chance: float, seconds: float) -> float:
    """The chance of a spike in a part of a second, `chance` being that of a whole one."""
    return 1 - math.pow(1 - chance, seconds)


class NoisyRouter:
    """What ppslab.model.simulated.LossSpikes counts: the same frames for the same seed and trials.

    `capacity`: frames per second; `deviation`: of it, a share; `spikes`: the chance that a second
    has a spike; `loss`: the share of a second's frames that a spike takes.
    """

    def __init__(
        self, capacity: float, deviation: float, spikes: float, loss: float, seed: int
    ) -> None:
        self.capacity = capacity
        self.deviation = deviation
        self.spikes = spikes
        self.loss = loss
        self._chance = Chance(seed)

    def measure(self, seconds: float, load: float) -> tuple[int, int]:
        """One trial: frames that were due, and frames that came back."""
        due = max(1, round(load * seconds))
        forwarded = 0
        for first, last, length in parts(seconds, due):
            hit = self._chance.random() < chance_in(self.spikes, length)
            lost = spiked(last - first, self.loss if hit else 0.0)
            capacity = capacity_now(self._chance, self.capacity, self.deviation)
            forwarded += min(last - first - lost, room(capacity, length))
        return due, forwarded

    def truth(self, loss_ratio: float) -> float | None:
        """The load that half of all trials of a second bear; None where none does (RFC 9971)."""
        seen = self.spikes if self.loss > loss_ratio else 0.0
        share = 0.5 / (1 - seen)
        if share >= 1:
            return None
        capacity = self.capacity / (1 - loss_ratio)
        if self.deviation == 0:
            return capacity
        return capacity * (1 + self.deviation * below(1 - share))


def below(share: float) -> float:
    """How many deviations from its middle a normal variable is below with this probability."""
    low, high = -40.0, 40.0
    for _ in range(80):
        middle = (low + high) / 2
        if 0.5 * (1 + math.erf(middle / math.sqrt(2))) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2
