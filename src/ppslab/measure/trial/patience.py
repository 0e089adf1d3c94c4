"""How long to wait before a trial that noise spoiled is tried again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from ppslab.model.results import Trial
from ppslab.model.validity import noisy

FIRST_SECONDS: Final = 0.5
LONGEST_SECONDS: Final = 8.0
ALL_SECONDS: Final = 120.0


@dataclass
class Patience:
    """Waits longer after each noisy trial in a row, and starts anew after a quiet one.

    A neighbour that takes the CPU does so for seconds, so three attempts in 1.4 s are one attempt.
    In all it waits `left` seconds: on a machine that is never quiet, waiting brings nothing, and a
    run has to end.
    """

    left: float = ALL_SECONDS
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    """Waits for seconds; another in tests."""
    _next: float = FIRST_SECONDS

    def noisy(self) -> float:
        """Wait after a noisy trial; how many seconds it was."""
        seconds = min(self._next, self.left)
        self._next = min(2 * self._next, LONGEST_SECONDS)
        self.left -= seconds
        if seconds > 0:
            self.sleep(seconds)
        return seconds

    def quiet(self) -> None:
        """A trial was not noisy: the next wait is the shortest again."""
        self._next = FIRST_SECONDS

    def outlast(self, ask: Callable[[], Trial]) -> Trial:
        """The trial that `ask` runs; again, after a wait, while nothing but noise spoils it.

        The last one where all of the time is used up: who asks decides what a noisy one says.
        """
        trial = ask()
        while not trial.valid and noisy(trial.causes) and self.left > 0:
            self.noisy()
            trial = ask()
        return trial
