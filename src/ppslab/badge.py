"""The badge of the README: how many claims got which verdict, and in which runs, as one SVG.

It is made from the runs that are kept in results/, never from a reader's own in results/local/:
a badge says what anyone can check out and judge again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import TypeVar

from ppslab import lab as labs
from ppslab import results, scoreboard
from ppslab.claims import CONTRADICTED, INCONCLUSIVE, NOT_TESTABLE, REPRODUCED, Verdict
from ppslab.results import Record, Run, TcpRecord
from ppslab.scoreboard import Measured

Kind = TypeVar("Kind", bound=Run)

# White on each has a contrast of 4.5 at least (WCAG 2.2, 1.4.3).
COLOURS: Mapping[Verdict, str] = {
    REPRODUCED: "#00704f",
    CONTRADICTED: "#b34700",
    INCONCLUSIVE: "#1a6296",
    NOT_TESTABLE: "#5f6061",
}
TITLE_COLOUR = "#24292f"

HEIGHT, SECOND_LINE, MARGIN = 20, 16, 7
LETTER = 6.4
"""Width of a letter at 11 pixels; each text is then told to be as wide as it was taken for."""


@dataclass(frozen=True)
class Said:
    """What the badge says: claims by verdict, and which runs judged them."""

    counts: Mapping[Verdict, int]
    runs: str

    @property
    def sentence(self) -> str:
        """All of it in words, for who cannot see it."""
        counted = ", ".join(f"{count} {verdict}" for verdict, count in self.counts.items())
        return f"Published claims: {counted}. {self.runs}"


def kept(lab: str, kind: type[Kind]) -> Kind | None:
    """The newest completed record of a kind in results/ itself, as the repository has it."""
    partial: Kind | None = None
    for path in results.stored(lab, kind):
        if path.parent.name == "local":
            continue
        record = results.load_as(path, kind)
        if record.lab != lab or record.state != "completed":
            continue
        if not isinstance(record, Record) or record.is_whole():
            return record
        partial = partial or record
    return partial


def said(names: Iterable[str] | None = None) -> Said:
    """What the kept runs of these labs say, of all labs without names."""
    measured = [
        Measured(labs.find(name), kept(name, Record), kept(name, TcpRecord))
        for name in (labs.names() if names is None else names)
    ]
    records = [r for each in measured for r in (each.record, each.tcp) if r is not None]
    return Said(scoreboard.count(scoreboard.entries(measured)), _runs(records))


def _runs(records: list[Record | TcpRecord]) -> str:
    if not records:
        return "No run yet."
    last = max(record.started for record in records)
    commits = dict.fromkeys(_short(record.ppslab["commit"]) for record in records)
    routers = dict.fromkeys(record.router["name"] for record in records)
    backends = dict.fromkeys(record.backend for record in records)
    at = next(iter(commits)) if len(commits) == 1 else f"{len(commits)} commits"
    return (
        f"Router: {', '.join(sorted(routers))}; backend: {', '.join(sorted(backends))}; "
        f"last run {last:%Y-%m-%d}, ppslab at {at}."
    )


def _short(commit: str) -> str:
    """A commit as GitHub shows it; `+` says that files differed from it."""
    return commit[:7] + ("+" if commit.endswith("+") else "")


def svg(badge: Said) -> str:
    """The badge as an SVG file: a word and a number for each verdict, the runs below."""
    parts = [("published claims", TITLE_COLOUR)]
    parts += [(f"{count} {verdict}", COLOURS[verdict]) for verdict, count in badge.counts.items()]
    boxes, left = [], 0.0
    for text, colour in parts:
        width = _width(text) + 2 * MARGIN
        boxes.append(
            f'<rect x="{left:g}" width="{width:g}" height="{HEIGHT}" fill="{colour}"/>'
            + _text(text, left + MARGIN, 14, "#fff")
        )
        left += width
    # The runs stand below on a ground of their own: a README may be light or dark.
    whole, height = max(left, _width(badge.runs) + 2 * MARGIN), HEIGHT + SECOND_LINE
    title = escape(badge.sentence)
    ground = (
        f'<rect y="{HEIGHT}" width="{whole:g}" height="{SECOND_LINE}" fill="#f6f8fa"/>'
        + _text(badge.runs, MARGIN, HEIGHT + 12, TITLE_COLOUR)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole:g}" height="{height}" '
        f'viewBox="0 0 {whole:g} {height}" role="img" aria-label="{title}">\n'
        f"<title>{title}</title>\n"
        '<g font-family="DejaVu Sans,Verdana,sans-serif" font-size="11">\n'
        + "\n".join([ground, *boxes])
        + "\n</g>\n</svg>\n"
    )


def _width(text: str) -> float:
    return round(LETTER * len(text), 1)


def _text(text: str, x: float, y: float, colour: str) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" fill="{colour}" textLength="{_width(text):g}" '
        f'lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
    )
