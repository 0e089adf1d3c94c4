"""The one way in which large numbers are written: `1518`, `14 880 952`.

Four digits stay together, as a frame's size is read; from five on the thousands stand apart, by a
space that does not break.  Needs nothing of Python's library: the page's MicroPython reads it too.
"""

APART = "\u202f"
TOGETHER = 4
"""Digits that are read at one glance."""


def grouped(digits: str) -> str:
    """A number's digits with its thousands apart, whatever its sign and its decimals.

    >>> [grouped(each).replace(APART, "_") for each in ("1518", "14880952", "-10000.25", "inf")]
    ['1518', '14_880_952', '-10_000.25', 'inf']
    """
    whole, point, rest = digits.partition(".")
    sign = "-" if whole.startswith("-") else ""
    whole = whole[len(sign) :]
    if not whole.isdigit() or len(whole) <= TOGETHER:
        return digits
    first = len(whole) % 3
    parts = [whole[place : place + 3] for place in range(first, len(whole), 3)]
    return sign + APART.join(([whole[:first]] if first else []) + parts) + point + rest


def count_text(count: float) -> str:
    """A count for reading.

    >>> count_text(1234567) == f"1{APART}234{APART}567", count_text(1518.4)
    (True, '1518')
    """
    return grouped(f"{count:.0f}")
