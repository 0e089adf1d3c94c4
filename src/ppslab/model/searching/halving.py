"""The search that halves the interval between a load that passes and one that fails."""

from __future__ import annotations

from collections.abc import Callable


def halving(
    passes: Callable[[float], bool], min_load: float, max_load: float, relative_width: float
) -> tuple[float | None, float | None]:
    """The highest load that passed and the lowest that failed; None where there is no such load.

    The first trial is at `max_load`; the search ends when the interval is `relative_width` of its
    upper end or less.  `min_load` is tried only where nothing else passed.
    """
    if passes(max_load):
        return max_load, None
    low, high, passed = min_load, max_load, False
    while high - low > relative_width * high:
        middle = (low + high) / 2
        if passes(middle):
            low, passed = middle, True
        else:
            high = middle
    if not passed and not passes(min_load):
        return None, min_load
    return low, high


def tolerated(
    loss_of: Callable[[], float], loss_ratio: float, trials: int = 1, hopeless: float = 1.0
) -> bool:
    """Whether one of up to `trials` trials loses at most `loss_ratio`; `loss_of` runs one.

    After a trial that loses `hopeless` or more there is no further one.
    """
    for _ in range(trials):
        ratio = loss_of()
        if ratio <= loss_ratio:
            return True
        if ratio >= hopeless:
            return False
    return False
