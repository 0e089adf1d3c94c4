"""A pytest plugin for nbval: stored and new numbers agree where their intervals do.

nbval compares outputs letter by letter, and no measurement repeats to the letter.  Blanking the
numbers out would leave nothing to compare.  Here

- `1.82 [1.76, 1.85]`, a number with its 95 % interval, agrees with another where the two intervals
  overlap after both are widened by TOLERANCE of the estimate, or by OTHER_KERNEL of it where the
  provenance below the two names another backend or kernel;
- the same with a unit of time or rate, or %, behind it (`213 [205, 222] ns`, `1.54 Mpps`, `25 %`)
  agrees with any other, since absolute rates drift threefold within minutes on a shared machine:
  that it stands there is compared, and in which unit;
- a line that starts with `provenance:`, and what a page marks `data-aside`, is compared by the
  words before its colons;
- `undecided` and `inconclusive` agree with a decided verdict; two decided verdicts do not agree
  when they differ (`holds` and `broken`, `reproduced` and `contradicted`);
- everything else must be the same, but for the amount of white space.

So a run fails when an order of conditions flips, when a ratio moves further than noise moves it,
and when a condition was not measured, as then a dash stands where the number was.

    pytest -p ppslab.nbval_intervals --nbval notebooks/fastpath.ipynb
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

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

MACHINE = re.compile(r"backend: ([^;\n]+); kernel ([^;\n]+)")

UNITS = r"ns|us|ms|pps|kpps|Mpps|Gpps|[kMG]?bit/s|%"
NUMBER = r"[-+]?(?:\d[\d.]*(?:e[-+]?\d+)?|inf\b)"
TOKEN = re.compile(
    rf"(?P<estimate>{NUMBER}) \[(?P<low>{NUMBER}), (?P<high>{NUMBER})\]"
    rf"(?: (?P<unit>{UNITS})(?!\w))?"
    rf"|(?P<rate>{NUMBER}) ?(?P<rate_unit>[kMG]?(?:pps|bit/s)\b|%)(?: \(tester-limited\))?"
    r"|\b(?P<verdict>holds|broken|undecided|reproduced|contradicted|inconclusive)\b"
)
OPEN_VERDICTS = frozenset({"undecided", "inconclusive"})
VERDICT_KINDS = ({"holds", "broken", "undecided"}, {"reproduced", "contradicted", "inconclusive"})


@dataclass(frozen=True)
class Disagreement:
    """A place where two outputs differ by more than noise."""

    stored: str
    new: str
    why: str

    def __str__(self) -> str:
        return f"{self.why}: stored {self.stored!r}, new {self.new!r}"


def disagreements(stored: str, new: str, tolerance: float = TOLERANCE) -> list[Disagreement]:
    """Where two texts differ by more than noise; empty where they agree."""
    old_lines, new_lines = _lines(stored), _lines(new)
    if len(old_lines) != len(new_lines):
        why = f"{len(old_lines)} lines became {len(new_lines)}"
        return [Disagreement("\n".join(old_lines), "\n".join(new_lines), why)]
    found: list[Disagreement] = []
    for old, now in zip(old_lines, new_lines, strict=True):
        found += _compare_lines(old, now, tolerance)
    return found


def _lines(text: str) -> list[str]:
    lines = (" ".join(line.split()) for line in text.splitlines())
    # A rule under a header is as wide as its column.
    return [line for line in lines if line.strip("- ")]


def _compare_lines(old: str, new: str, tolerance: float) -> Iterator[Disagreement]:
    if old.startswith("provenance:"):
        if _labels(old) != _labels(new):
            yield Disagreement(old, new, "the provenance says other things")
        return
    if TOKEN.sub("#", old) != TOKEN.sub("#", new):
        yield Disagreement(old, new, "the words differ")
        return
    for was, is_now in zip(TOKEN.finditer(old), TOKEN.finditer(new), strict=True):
        why = _compare_tokens(was, is_now, tolerance)
        if why:
            yield Disagreement(old, new, why)


def _labels(line: str) -> list[str]:
    return re.findall(r"([A-Za-z ]+):(?!\d)", line)


def _compare_tokens(old: re.Match[str], new: re.Match[str], tolerance: float) -> str:
    """Why two numbers or verdicts do not agree; empty where they do."""
    kinds = [next(k for k in ("estimate", "rate", "verdict") if m[k]) for m in (old, new)]
    if kinds[0] != kinds[1] or (old["unit"] or "") != (new["unit"] or ""):
        return "another kind of number"
    if kinds[0] == "rate":
        return ""
    if kinds[0] == "verdict":
        return _compare_verdicts(old["verdict"], new["verdict"])
    if old["unit"]:
        return ""
    (a, b), (c, d) = _widened(old, tolerance), _widened(new, tolerance)
    return "" if a <= d and c <= b else f"the intervals differ by more than {tolerance:.0%}"


def _widened(token: re.Match[str], tolerance: float) -> tuple[float, float]:
    estimate, low, high = (float(token[name]) for name in ("estimate", "low", "high"))
    return low - tolerance * abs(estimate), high + tolerance * abs(estimate)


def _compare_verdicts(old: str, new: str) -> str:
    if not any({old, new} <= kind for kind in VERDICT_KINDS):
        return "another kind of verdict"
    if old == new or OPEN_VERDICTS & {old, new}:
        return ""
    return "the verdict moved"


class _Visible(HTMLParser):
    """The text of a page's part, one line a block, without drawings and what is marked aside."""

    BLOCKS = frozenset("p div tr li caption form label figure figcaption pre details ul".split())
    VOID = frozenset("input br img meta link hr".split())

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self._skipping: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.VOID:
            self.text.append(" ")
            return
        if self._skipping or tag == "svg" or any(name == "data-aside" for name, _ in attrs):
            self._skipping.append(tag)
        elif tag in self.BLOCKS:
            self.text.append("\n")
        else:
            self.text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if self._skipping:
            self._skipping.pop()
        elif tag in self.BLOCKS:
            self.text.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._skipping:
            self.text.append(data)


def visible(html: str) -> str:
    """What a reader sees of an HTML output, without drawings and without what is marked aside."""
    parser = _Visible()
    parser.feed(html)
    parser.close()
    return unescape("".join(parser.text))


def reconcile(
    stored: list[Any], new: list[Any], tolerance: float = TOLERANCE
) -> list[Disagreement]:
    """Give the new outputs the stored texts where they agree; returns where they do not.

    `stored` and `new` are a cell's outputs (nbformat 4), compared in their order; what agrees is
    overwritten in `new`, so that nbval's own comparison then finds it equal.
    """
    found: list[Disagreement] = []
    for old, now in zip(stored, new, strict=False):
        if old.output_type == now.output_type == "stream":
            found += _settle(old, now, "text", tolerance)
        elif "data" in old and "data" in now:
            kinds = old["data"].keys() & now["data"].keys() & {"text/plain", "text/html"}
            if _machine(old["data"]) != _machine(now["data"]):
                wide = max(tolerance, OTHER_KERNEL)
            else:
                wide = tolerance
            for kind in kinds:
                found += _settle(old["data"], now["data"], kind, wide)
    return found


def _machine(data: Any) -> set[tuple[str, ...]]:
    """The backends and kernels that the provenance in an output names."""
    return set(MACHINE.findall(_text(data.get("text/plain", ""))))


def _settle(old: Any, new: Any, key: str, tolerance: float) -> list[Disagreement]:
    shown = visible if key == "text/html" else str
    found = disagreements(shown(_text(old[key])), shown(_text(new[key])), tolerance)
    if not found:
        new[key] = old[key]
    return found


def _text(value: Any) -> str:
    return "".join(value) if isinstance(value, list) else str(value)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run say how far numbers may move."""
    parser.addoption(
        "--intervals-tolerance",
        type=float,
        default=TOLERANCE,
        help="share of an estimate by which nbval's intervals are widened (default %(default)s)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Put the comparison by interval before nbval's own."""
    if not config.pluginmanager.hasplugin("nbval"):
        return
    from nbval.plugin import IPyNbCell  # type: ignore[import-untyped]  # noqa: PLC0415

    if hasattr(IPyNbCell, "compare_letters"):
        return
    IPyNbCell.compare_letters = IPyNbCell.compare_outputs
    tolerance = config.getoption("--intervals-tolerance")

    def compare_outputs(cell: Any, test: Any, ref: Any, skip_compare: Any = None) -> bool:
        found = reconcile(ref, test, tolerance)
        same = bool(cell.compare_letters(test, ref, skip_compare))
        cell.comparison_traceback += [f"\n {each}\n" for each in found]
        return same

    IPyNbCell.compare_outputs = compare_outputs
