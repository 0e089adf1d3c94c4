"""A pytest plugin for nbval: stored and new numbers agree where their intervals do.

nbval compares outputs letter by letter, and no measurement repeats to the letter.  Our outputs hold
their numbers beside text and HTML (`core.text.display.NUMBERS`), and these are compared:

- a ratio or a count of instructions, with its interval, agrees with another where the two intervals
  overlap after both are widened by a share of the estimate: TOLERANCE; OTHER_KERNEL where another
  backend or kernel did the work; COUNTED where both counted instructions with the same kernel, as
  nothing disturbs them;
- a number with any other unit (ns, Mpps, Gbit/s, %) agrees with any other of that unit, since
  absolute rates drift threefold within minutes on a shared machine: that it was measured is
  compared, and in which unit;
- a verdict that is not decided agrees with one that is; two decided ones must be the same;
- of the provenance it is compared what was measured, a router or the tester;
- columns and lines that are asides may differ, as they do from run to run without a meaning;
- all other words must be the same, and so must every output that holds no numbers of ours.

So a run fails when an order of conditions flips, when a ratio moves further than noise moves it,
and when a condition was not measured, as then a dash stands where the number was.

    pytest -p ppslab.course.notebook.nbval_intervals --nbval notebooks/fastpath.ipynb
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ppslab.core.measures import UNITS
from ppslab.core.text.display import NUMBERS
from ppslab.core.text.quantities import Content, Outcome, Quantity, Sentence, from_data

if TYPE_CHECKING:
    import pytest

TOLERANCE = 0.15
"""Share of an estimate by which an interval is widened on either side.

A run's interval holds what differs between its rounds, not what differs between runs (another
placement in memory, another neighbour).  Of four quick runs of fastpath on one busy machine the
two that lay farthest apart needed 0.07.
"""

OTHER_KERNEL = 0.4
"""The same where another kernel or an emulated CPU did the work: what each part of it costs there
is another question; that the order holds, and that every condition was measured, is not."""

COUNTED = 0.0045
"""The same where instructions were counted with the same kernel, whoever worked on the machine.

Of both sides together it is less than 1 %.
"""

REPEATED = frozenset({"", UNITS["counted"]})
"""The units of numbers that repeat: ratios, which have none, and instructions."""


@dataclass(frozen=True)
class Disagreement:
    """A place where two outputs differ by more than noise."""

    where: str
    stored: str
    new: str
    why: str

    def __str__(self) -> str:
        return f"{self.where}: {self.why}: stored {self.stored!r}, new {self.new!r}"


def disagreements(
    stored: Mapping[str, Any], new: Mapping[str, Any], tolerance: float = TOLERANCE
) -> list[Disagreement]:
    """List the numbers of two outputs that differ by more than noise."""
    wide = _allowed(stored.get("provenance"), new.get("provenance"), tolerance)
    return [*_frames(stored, new), *_rows(stored, new, wide), *_lines(stored, new, wide)]


def _allowed(
    stored: Mapping[str, Any] | None, new: Mapping[str, Any] | None, tolerance: float
) -> float:
    """Factor by which an interval is widened for two runs of these machines and measures."""
    if stored is None or new is None:
        return tolerance
    if _machines(stored) != _machines(new):
        return max(tolerance, OTHER_KERNEL)
    counted = all(run["measure"] == "counted" for run in (*_runs(stored), *_runs(new)))
    return min(tolerance, COUNTED) if counted else tolerance


def _runs(provenance: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [provenance, *provenance["others"]]


def _machines(provenance: Mapping[str, Any]) -> set[tuple[str, ...]]:
    names = ("backend", "emulation", "measure", "kernel")
    return {tuple(run[name] for name in names) for run in _runs(provenance)}


def _frames(stored: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Disagreement]:
    """Yield differences in titles, headers and row names, which no measurement may change."""
    title = str(stored.get("title"))
    for name in ("kind", "title", "header", "asides", "aside"):
        if stored.get(name) != new.get(name):
            yield Disagreement(
                title, str(stored.get(name)), str(new.get(name)), f"the {name} differs"
            )
    old, now = (
        str((shown.get("provenance") or {"subject": "nothing"})["subject"])
        for shown in (stored, new)
    )
    if old != now:
        yield Disagreement(title, old, now, "another subject was measured")


def _rows(stored: Mapping[str, Any], new: Mapping[str, Any], wide: float) -> Iterator[Disagreement]:
    old_rows, new_rows = stored.get("rows", []), new.get("rows", [])
    if len(old_rows) != len(new_rows):
        old_names, new_names = (_texts(row[0] for row in rows) for rows in (old_rows, new_rows))
        yield Disagreement(stored["title"], old_names, new_names, "other rows")
        return
    asides = stored.get("asides", [])
    for old_row, new_row in zip(old_rows, new_rows, strict=True):
        for name, old, now in zip(stored["header"], old_row, new_row, strict=False):
            if name not in asides:
                where = f"{_label(old_row, old_rows)}, {name}"
                yield from _compared(where, from_data(old), from_data(now), wide)


def _label(row: Sequence[Any], rows: Sequence[Sequence[Any]]) -> str:
    """A row's first cell, and as many more words as tell it from the table's other rows."""
    width = 1
    while width < len(row) and isinstance(row[width], str):
        if sum(other[:width] == row[:width] for other in rows) == 1:
            break
        width += 1
    return ", ".join(str(from_data(content)) for content in row[:width])


def _lines(
    stored: Mapping[str, Any], new: Mapping[str, Any], wide: float
) -> Iterator[Disagreement]:
    title = stored["title"]
    old_lines, new_lines = stored.get("lines", []), new.get("lines", [])
    if len(old_lines) != len(new_lines):
        yield Disagreement(title, _texts(old_lines), _texts(new_lines), "another number of lines")
    elif not stored.get("aside"):
        for old, now in zip(old_lines, new_lines, strict=True):
            yield from _compared(title, from_data(old), from_data(now), wide)


def _texts(contents: Iterable[Any]) -> str:
    return "; ".join(str(from_data(content)) for content in contents)


def _compared(where: str, old: Content, new: Content, wide: float) -> Iterator[Disagreement]:
    pairs: list[tuple[Content, Content]] = [(old, new)]
    if isinstance(old, Sentence) and isinstance(new, Sentence) and len(old.parts) == len(new.parts):
        pairs = list(zip(old.parts, new.parts, strict=True))
    for one, other in pairs:
        if why := _why(one, other, wide):
            yield Disagreement(where, str(old), str(new), why)


def _why(old: Content, new: Content, wide: float) -> str:
    """The reason why two contents disagree; empty where they agree."""
    if isinstance(old, Quantity) and isinstance(new, Quantity):
        return _why_numbers(old, new, wide)
    if isinstance(old, Quantity) or isinstance(new, Quantity):
        return "a number on one side only"
    if isinstance(old, Outcome) and isinstance(new, Outcome):
        moved = old.decided and new.decided and old != new
        return "the verdict moved" if moved else ""
    return "" if old == new else "the words differ"


def _why_numbers(old: Quantity, new: Quantity, wide: float) -> str:
    if old.unit != new.unit:
        return "another unit"
    if (old.interval is None) != (new.interval is None):
        return "an interval on one side only"
    if old.unit not in REPEATED:
        return ""
    (low, high), (new_low, new_high) = _widened(old, wide), _widened(new, wide)
    if low <= new_high and new_low <= high:
        return ""
    return f"the intervals differ by more than {wide:.2%} on either side"


def _widened(number: Quantity, wide: float) -> tuple[float, float]:
    low, high = number.interval or (number.value, number.value)
    return low - wide * abs(number.value), high + wide * abs(number.value)


def reconcile(
    stored: list[Any], new: list[Any], tolerance: float = TOLERANCE
) -> list[Disagreement]:
    """Give the new outputs the stored texts where their numbers agree; returns where they do not.

    `stored` and `new` are a cell's outputs (nbformat 4), compared in their order; what agrees is
    overwritten in `new`, so that nbval's own comparison then finds it equal.
    """
    apart: list[Disagreement] = []
    for old, now in zip(stored, new, strict=False):
        data, new_data = old.get("data", {}), now.get("data", {})
        if NUMBERS not in data or NUMBERS not in new_data:
            continue
        here = disagreements(data[NUMBERS], new_data[NUMBERS], tolerance)
        apart += here
        # nbval shows the texts that differ; their HTML and their data would say it again.
        for name in (NUMBERS, "text/html", *([] if here else ["text/plain"])):
            if name in data and name in new_data:
                new_data[name] = data[name]
    return apart


def pytest_configure(config: pytest.Config) -> None:
    """Put the comparison by interval before nbval's own."""
    if not config.pluginmanager.hasplugin("nbval"):
        return
    from nbval.plugin import IPyNbCell  # type: ignore[import-untyped]  # noqa: PLC0415

    if hasattr(IPyNbCell, "compare_letters"):
        return
    IPyNbCell.compare_letters = IPyNbCell.compare_outputs

    def compare_outputs(cell: Any, test: Any, ref: Any, skip_compare: Any = None) -> bool:
        apart = reconcile(ref, test)
        same = bool(cell.compare_letters(test, ref, skip_compare))
        cell.comparison_traceback += [f"\n {each}\n" for each in apart]
        return same and not apart

    IPyNbCell.compare_outputs = compare_outputs
