"""What the seen sheets say of each cause: how often it is, and how each answer speaks for it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from math import log10

from benchmarks.complaints.scoring import NOTHING, answers, talk
from benchmarks.complaints.sheets import Sheet
from ppslab.course.learning.slow import PRIOR, UNKNOWN

HEAD = """\
# How strongly an answer speaks for a cause of slow.yml, in decibans (10: ten times as often as by
# chance, -10: a tenth as often), and under `prior` how often the cause is.  An end of the dialogue
# that nothing proves offers by it what else it can be.  Made of the sheets in
# benchmarks/complaints/seen by `python -m benchmarks.complaints --weigh`.
"""
RARE = 1
"""Added to what was counted and to what chance would give, so that one sheet alone says little."""
FOR, AGAINST = 3, 4
"""Decibans from which an answer is kept that speaks for a cause, or against it.

Of a rare cause, one sheet that chance would give and that is not there is -3 already; without
those, right causes are offered as often for sheets that were not weighed, by a shorter table.
"""


def signs(sheets: Iterable[Sheet]) -> dict[str, dict[str, int]]:
    """The prior and the answers of each cause: {"short-queue": {"prior": -18, "has.sfp": 6}}."""
    causes: Counter[str] = Counter()
    every: Counter[str] = Counter()
    own: Mapping[str, Counter[str]] = defaultdict(Counter)
    total = 0
    for sheet in sheets:
        total += 1
        given = {f"{name}.{word}" for name, answer in answers(sheet).items()
                 for word in answer.split(",") if word not in ("", UNKNOWN)}  # fmt: skip
        every.update(given)
        for cause in sheet.causes:
            causes[cause] += 1
            own[cause].update(given)
    table = {}
    for cause in sorted(set(talk().ends) - {NOTHING}):
        points = {PRIOR: _decibans((causes[cause] + RARE) / total)}
        for sign in sorted(every):
            chance = causes[cause] * every[sign] / total
            points[sign] = _decibans((own[cause][sign] + RARE) / (chance + RARE))
        table[cause] = {sign: value for sign, value in points.items()
                        if sign == PRIOR or value >= FOR or value <= -AGAINST}  # fmt: skip
    return table


def written(table: Mapping[str, Mapping[str, int]]) -> str:
    """The text of book/slow-signs.yml."""
    lines = [HEAD]
    for cause, points in table.items():
        lines += [f"{cause}:\n", *(f"  {sign}: {value}\n" for sign, value in points.items())]
    return "".join(lines)


def _decibans(ratio: float) -> int:
    return round(10 * log10(ratio))
