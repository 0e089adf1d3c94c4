"""The chapter "Measuring" in a reader's browser: recorded searches and faults.

What needs neither a record nor a library is the chapter's own: `wire`, `two_delays`, `meters`.
In the browser's package this stands in the place of `ppslab.course.measuring`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.display import TextBlock
from ppslab.core.text.tables import Cell, Table
from ppslab.course.measuring.delays import two_delays
from ppslab.course.measuring.wires import wire
from ppslab.course.notebook.progress import show_heading
from ppslab.course.site.browser.documents import CannotInBrowserError, chosen, from_thing, read
from ppslab.model.meters import table as meters
from ppslab.model.simulated import EXAMPLES, Router
from ppslab.show.figures.figure import Figure

__all__ = [
    "Broken",
    "Comparison",
    "Watched",
    "break_it",
    "compare",
    "loss_curve",
    "meters",
    "noise",
    "ports",
    "published_meters",
    "two_delays",
    "watch",
    "wire",
]

TITLE = "@title@"
"""Place of the reader's own title of a comparison in the documents."""

ELSEWHERE = (
    "The searches need MLRsearch, which is not in the browser; it has those of the notebook on\n{}"
    "\nOn a machine of your own this cell searches any router."
)

Make = Callable[[int], Router]


def ports() -> Table:
    """The published table of the CCR1036, as a share of what its ports can carry."""
    return from_thing(read("measuring")["ports"], Table)


def noise(lab: str = "fastpath") -> Table | TextBlock:
    """The A/A ratio of the newest run, by frame size, beside the drift over its rounds."""
    return chosen(read("measuring")["noise"], lab, "lab", Table, TextBlock)


def published_meters(like: str = "dut") -> Table:
    """Rows of the Fast Path sources whose id holds `like`: bits over packets.

    Here: `dut`, `stream`, `total` and `ccr1036`.
    """
    return chosen(read("measuring")["published_meters"], like, "rows like", Table)


class Comparison:
    """The recorded searches of every kind on one kind of router."""

    def __init__(self, title: str, said: dict[str, Any]) -> None:
        self.title = title
        self._said = said

    def table(self, guess: Mapping[str, int] | None = None) -> Table:
        """Table of the searches' errors and costs, beside the reader's guess where there is one.

        `guess`: for a method, how many of its searches end within 1 % of the truth.
        """
        table = from_thing(self._said["table"], Table)
        table = replace(table, title=str(table.title).replace(TITLE, self.title))
        if guess is None:
            return table
        rows = [(*row[:2], Cell(str(guess.get(row[0].text, "-"))), *row[2:]) for row in table.rows]
        header = (*table.header[:2], "your guess", *table.header[2:])
        return replace(table, header=header, rows=tuple(rows))

    def figure(self) -> Figure:
        """Every search as a mark, beside the truth."""
        figure = from_thing(self._said["figure"], Figure)
        return replace(figure, title=figure.title.replace(TITLE, self.title),
                       alt=figure.alt.replace(TITLE, self.title))  # fmt: skip

    def __repr__(self) -> str:
        return repr(self.table())

    def _repr_html_(self) -> str:
        return self.table().html()


def compare(router: Make, *, title: str = "a router with loss spikes", **others: Any) -> Comparison:
    """Twenty searches of each kind, as they were recorded on an example of `simulated.EXAMPLES`."""
    return Comparison(title, _recorded("compare", router, others))


class Watched:
    """Single recorded searches, trial by trial."""

    def __init__(self, said: dict[str, Any]) -> None:
        self._said = said

    def figure(self) -> Figure:
        """Load by trial, passed and failed."""
        return from_thing(self._said["figure"], Figure)

    def table(self) -> Table:
        """Each trial with its load and its loss."""
        return from_thing(self._said["table"], Table)

    def __repr__(self) -> str:
        return repr(self.table())

    def _repr_html_(self) -> str:
        return self.figure().html()


def watch(router: Make, **others: Any) -> Watched:
    """One search of two kinds, as it was recorded on an example of `simulated.EXAMPLES`."""
    return Watched(_recorded("watch", router, others))


def loss_curve(router: Make, **others: Any) -> Figure:
    """Loss of single trials of a second, at loads up to a tenth above the capacity."""
    return from_thing(_recorded("loss_curve", router, others), Figure)


def _recorded(kind: str, router: Make, others: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = read("measuring")[kind]
    name = next((name for name, made in EXAMPLES.items() if made is router), None)
    if name not in found or others:
        shown = "\n".join(f"  simulated.EXAMPLES[{name!r}]" for name in found)
        raise CannotInBrowserError(ELSEWHERE.format(shown))
    return found[name]


class Broken:
    """A recorded run through the faults."""

    def __init__(self, said: dict[str, Any]) -> None:
        self._said = said

    def __repr__(self) -> str:
        return repr(self._summary())

    def _repr_html_(self) -> str:
        return self._summary().html()

    def _summary(self) -> TextBlock:
        return from_thing(self._said["summary"], TextBlock)

    def table(self, guess: Mapping[str, str] | None = None) -> Table | TextBlock:
        """Every fault and what the instrument said; beside the reader's guess where there is one.

        `guess`: for a fault, `caught` or `missed`; `-` for no opinion.
        """
        table = from_thing(self._said["table"], Table, TextBlock)
        if guess is None or not isinstance(table, Table):
            return table
        known: list[str] = self._said["faults"]
        for name, said in guess.items():
            if name not in known:
                raise UsageError(f"no fault {name!r}{did_you_mean(name, known)}")
            if said not in ("caught", "missed", "-"):
                raise UsageError(f"guess {said!r} for {name}: it is caught or missed")
        rows = [
            (*row, Cell(guess.get(name, "-"))) for name, row in zip(known, table.rows, strict=True)
        ]
        return replace(table, header=(*table.header, "your guess"), rows=tuple(rows))

    def delays(self) -> Table | TextBlock:
        """The delays of the late tester's frames, counted from two times."""
        return from_thing(self._said["delays"], Table, TextBlock)

    def figure(self) -> Figure | TextBlock:
        return from_thing(self._said["figure"], Figure, TextBlock)


def break_it(*names: str, **others: Any) -> Broken:
    """The instrument, broken on purpose, as it was recorded; all faults together."""
    if names or others:
        raise CannotInBrowserError(
            "a browser cannot break the instrument: measuring.break_it() shows recorded results.\n"
            f"On your own machine: ppslab break fastpath {' '.join(names)}"
        )
    show_heading("The instrument, broken on purpose")
    return Broken(read("measuring")["break_it"])
