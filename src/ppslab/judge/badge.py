"""The badge of the README: how many claims got which verdict, and in which runs, as one SVG.

It is made from the runs that are kept in results/, never from a reader's own in results/local/:
a badge says what anyone can check out and judge again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from ppslab.judge import outcome, scoreboard
from ppslab.judge.claims import (
    CANNOT_TELL,
    CONFIRMED,
    CONSISTENT,
    DIFFERS,
    IN_DIRECTION,
    IN_SIZE,
    INCONSISTENT,
    NO_VERDICT,
    NOT_TESTABLE,
    REFUTED,
    Evidence,
    Verdict,
    runs,
)
from ppslab.model.lab import lab as labs
from ppslab.model.results import Run

# White on each has a contrast of 4.5 at least (WCAG 2.2, 1.4.3).
COLOURS: Mapping[Verdict, str] = {
    CONFIRMED: "#00704f",
    REFUTED: "#a3001b",
    CONSISTENT: "#00704f",
    INCONSISTENT: "#b34700",
    IN_SIZE: "#00704f",
    IN_DIRECTION: "#4d6b00",
    DIFFERS: "#b34700",
    CANNOT_TELL: "#1a6296",
    NO_VERDICT: "#5f6061",
    NOT_TESTABLE: "#5f6061",
}
TITLE_COLOUR = "#24292f"

HEIGHT, SECOND_LINE, MARGIN = 20, 16, 7
LETTER = 6.4
"""Width of a letter at 11 pixels; each text is then told to be as wide as it was taken for."""


@dataclass(frozen=True)
class Said:
    """What the badge says: claims by evidence and verdict, and which runs judged them."""

    counts: Mapping[Evidence | None, Mapping[Verdict, int]]
    runs: str

    @property
    def lines(self) -> list[tuple[str, list[tuple[Verdict, int]]]]:
        """For each kind of evidence its verdicts that occur; never a sum over kinds."""
        return [
            (kind or scoreboard.NO_EVIDENCE, [(v, n) for v, n in verdicts.items() if n])
            for kind, verdicts in self.counts.items()
        ]

    @property
    def sentence(self) -> str:
        """All of it in words, for who cannot see it."""
        counted = "; ".join(
            f"{kind}: {', '.join(f'{number} {verdict}' for verdict, number in verdicts)}"
            for kind, verdicts in self.lines
        )
        return f"Published claims, by evidence: {counted}. {self.runs}"


def said(names: Iterable[str] | None = None) -> Said:
    """What the kept runs of these labs say, of all labs without names; of a draft nothing yet.

    The error of a lab that cannot be judged: a badge that left it out would say less than it seems.
    """
    found = [labs.find(name) for name in (labs.names() if names is None else names)]
    outcomes = [outcome.of(lab, runs.kept) for lab in found if not lab.spec.draft]
    for each in outcomes:
        if each.fault:
            raise each.fault
    records = [run for each in outcomes for run in each.runs.all]
    judged = [verdict for each in outcomes for verdict in each.judged]
    return Said(scoreboard.by_evidence(judged), _runs(records))


def _runs(records: Sequence[Run]) -> str:
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
    """The badge as an SVG file: a line for each kind of evidence, the runs below."""
    title_width = max(_width(kind) for kind, _ in badge.lines or [("", [])]) + 2 * MARGIN
    boxes, top, whole = [], 0, 0.0
    for kind, verdicts in badge.lines:
        parts = [(kind, TITLE_COLOUR, title_width)]
        for verdict, number in verdicts:
            text = f"{number} {verdict}"
            parts.append((text, COLOURS[verdict], _width(text) + 2 * MARGIN))
        left = 0.0
        for text, colour, width in parts:
            boxes.append(
                f'<rect x="{left:g}" y="{top}" width="{width:g}" height="{HEIGHT}" '
                f'fill="{colour}"/>' + _text(text, left + MARGIN, top + 14, "#fff")
            )
            left += width
        whole, top = max(whole, left), top + HEIGHT
    # The runs stand below on a ground of their own: a README may be light or dark.
    whole, height = max(whole, _width(badge.runs) + 2 * MARGIN), top + SECOND_LINE
    title = escape(badge.sentence)
    ground = f'<rect y="{top}" width="{whole:g}" height="{SECOND_LINE}" fill="#f6f8fa"/>' + _text(
        badge.runs, MARGIN, top + 12, TITLE_COLOUR
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
