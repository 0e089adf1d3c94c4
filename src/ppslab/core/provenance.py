"""The origin of the numbers of a table or a figure, and the one sign that shows it.

A number from an emulated CPU looks like one from this machine's Linux, or one from a CHR.  So each
table and figure carries the facts of its run.  A page shows them as a badge of three words that
unfolds into all of them; a command prints them as a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from html import escape
from typing import Any, Literal, cast

from ppslab.core import provenance_line
from ppslab.core.measures import Measure

Subject = Literal["router", "tester"]
Clock = Literal["", "cpu", "wall"]
Kind = Literal["chr", "routeros", "linux", "counted", "emulated", "tester", "tester-emulated"]

UNKNOWN = "unknown"
"""A kernel or a CPU that nobody could name."""


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """The origin of the numbers of one run.

    started: UTC.
    subject: what was measured; "tester" if there was no router between its ports.
    name: the router's (linux, routeros) or the tester's.
    version: of RouterOS or of the tester; empty if the record has none.
    board: RouterOS's name of the device, such as "CHR" or "CCR2004-16G-2S+".
    measure: what was measured; "timed": nanoseconds and rates of this machine; "counted":
        instructions.
    emulation: "none", "kvm", or "tcg" if the CPU was emulated.
    cpus: how many the machine has; None if the record does not say.
    profile: empty if the command has none.
    clock: which clock the times were read from; empty if there was no choice.
    cannot_show: what the router that was measured cannot show; empty if nobody said.
    others: the other runs whose numbers are in the same table.
    """

    started: datetime
    subject: Subject
    name: str
    version: str = ""
    board: str = ""
    measure: Measure = "timed"
    backend: str
    emulation: str = "none"
    kernel: str = UNKNOWN
    cpu: str = UNKNOWN
    cpus: int | None = None
    profile: str = ""
    clock: Clock = ""
    cannot_show: str = ""
    others: tuple[Provenance, ...] = ()

    @property
    def emulated(self) -> bool:
        """True where the CPU was emulated: then its nanoseconds mean nothing by themselves."""
        return self.emulation == "tcg"

    @property
    def kind(self) -> Kind:
        return cast("Kind", provenance_line.kind(self.data()))

    @property
    def runs(self) -> tuple[Provenance, ...]:
        return (replace(self, others=()), *self.others)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of machine of all runs, each once."""
        return tuple(dict.fromkeys(run.kind for run in self.runs))

    @property
    def sentence(self) -> str:
        """The line of a command: router, backend, kernel, profile, date."""
        return provenance_line.line(self.data())

    def sign(self, *, interval: str = "", more: Iterable[tuple[str, str]] = ()) -> dict[str, Any]:
        """The sign on a page; `interval`: the meaning of the ends of its numbers."""
        return provenance_line.sign(self.data(), interval, [list(each) for each in more])

    def data(self) -> dict[str, Any]:
        """As plain data, for JSON and for the models of the widgets; `of` reads it."""
        plain = {**asdict(self), "started": f"{self.started:{provenance_line.MINUTE}}"}
        return {**plain, "others": [run.data() for run in self.others]}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Provenance:
        """Read what `data` wrote; ValueError or TypeError for anything else."""
        started = datetime.strptime(data["started"], provenance_line.MINUTE).replace(tzinfo=UTC)
        others = tuple(cls.of(each) for each in data["others"])
        return cls(**{**data, "started": started, "others": others})


def together(made_by: Iterable[Provenance | None]) -> Provenance | None:
    """The provenance of a table with numbers from several runs; None if there is no run."""
    runs = dict.fromkeys(run for each in made_by if each for run in each.runs)
    if not runs:
        return None
    first, *others = runs
    return replace(first, others=tuple(others))


def html(sign: Mapping[str, Any] | None, *, anchor: str = "") -> str:
    """The sign of `provenance_line.sign` as HTML: badges that unfold; empty if there is no run.

    A `details` needs no script, opens by keyboard, and prints its whole content.  It is marked
    `data-aside`: two runs of the same page may come from two machines.  The anchor is inside it, so
    that a browser opens it for a link.
    """
    if sign is None:
        return ""
    badges = " ".join(
        f'<span class="ppslab-origin ppslab-origin-{kind}">{escape(label)}</span>'
        for kind, label in sign["badges"]
    )
    parts = "".join(
        "<dl>"
        + "".join(f"<div><dt>{escape(a)}</dt><dd>{escape(b)}</dd></div>" for a, b in part)
        + "</dl>"
        for part in sign["parts"]
    )
    if anchor:
        parts = parts.replace("<dl>", f'<dl id="{anchor}">', 1)
    return f'<details class="ppslab-made" data-aside><summary>{badges}</summary>{parts}</details>'


def of(provenance: Provenance | None, *, interval: str = "") -> str:
    """The sign of these runs as HTML; empty if there is none."""
    return html(provenance.sign(interval=interval) if provenance else None)
