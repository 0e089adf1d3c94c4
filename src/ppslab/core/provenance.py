"""The origin of the numbers of a table, a figure or a widget, and the one sign that shows it.

A number from an emulated CPU looks like one from this machine's Linux, or one from a CHR.  So each
table and figure carries the facts of its run.  A page shows them as a badge of three words that
unfolds into all of them (`sign`); a command prints them as a line (`sentence`).

The static page makes signs too, for a reader's own record, in MicroPython.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ppslab.core.measures import Measure

Subject = Literal["router", "tester"]
Clock = Literal["", "cpu", "wall"]
Kind = Literal["chr", "routeros", "linux", "counted", "emulated", "tester", "tester-emulated"]

UNKNOWN = "unknown"
"""A kernel or a CPU that nobody could name."""

MINUTE = "%Y-%m-%d %H:%M"
"""The format of a run's time."""

CLOCKS = {"cpu": "the sender's CPU time", "wall": "wall time"}
"""The clock that times are read from, by the word of a record."""

MEASURES = {"timed": "timed", "counted": "instructions counted"}
"""The measure of a packet's cost, by the word of a record."""

MACHINES = {
    "chr": "CHR",
    "routeros": "RouterOS",
    "linux": "Linux",
    "counted": "Linux, instructions counted",
    "emulated": "Linux, CPU emulated",
    "tester": "the tester alone",
    "tester-emulated": "the tester alone, CPU emulated",
}
"""The kind of machine, as a column of its own shows it."""

LABELS = {kind: "measured on " + machine for kind, machine in MACHINES.items()}
"""The same as a badge."""
LABELS["counted"] = "instructions counted on Linux"

INTERVAL = "95 %, in square brackets or drawn as a line"
"""The meaning of the ends of a number, where it has any."""

INTERVAL_OF_CLAIMS = "of a claim: of the kind that its row names"
"""The same in a table of claims, whose evidence differs from row to row."""

INTERVALS = (INTERVAL, INTERVAL_OF_CLAIMS)


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """The origin of the numbers of one run.

    started: UTC, as MINUTE.
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

    started: str
    subject: Subject
    name: str
    backend: str
    version: str = ""
    board: str = ""
    measure: Measure = "timed"
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
        """The kind of machine of this run."""
        if self.subject == "tester":
            return "tester-emulated" if self.emulated else "tester"
        if self.name == "routeros":
            return "chr" if "chr" in self.board.lower() else "routeros"
        if self.measure == "counted":
            return "counted"
        return "emulated" if self.emulated else "linux"

    @property
    def runs(self) -> tuple[Provenance, ...]:
        return (replace(self, others=()),) + self.others  # noqa: RUF005  (MicroPython)

    @property
    def sentence(self) -> str:
        """The line of a command: router, backend, kernel, profile, date."""
        return "; ".join([f"{term}: {words}" for run in self.runs for term, words in run.terms()])

    def sign(self, *, interval: str = "", more: Sequence[Sequence[str]] = ()) -> dict[str, Any]:
        """`badges` ([kind, label]), and `parts`: for each run, and at last for all, [term, words].

        interval: the meaning of the ends of its numbers.  more: what else is to be said of all.
        """
        kinds: list[str] = []
        blind: list[str] = []
        for run in self.runs:
            if run.kind not in kinds:
                kinds.append(run.kind)
            if run.cannot_show and run.cannot_show not in blind:
                blind.append(run.cannot_show)
        of_all = [["interval", interval]] if interval else []
        of_all += [["cannot show", words] for words in blind]
        of_all += [list(each) for each in more]
        parts = [run.terms() for run in self.runs]
        return {
            "badges": [[kind, LABELS[kind]] for kind in kinds],
            "parts": parts + ([of_all] if of_all else []),
        }

    def terms(self) -> list[list[str]]:
        """The facts of this run alone, [term, words]."""
        name = " ".join([word for word in (self.name, self.version, self.board) if word])
        words = {"none": "", "tcg": " (tcg emulation)"}.get(self.emulation, f" ({self.emulation})")
        terms = [
            [self.subject, name],
            ["backend", self.backend + words],
            ["measure", MEASURES[self.measure]],
            ["kernel", self.kernel],
        ]
        if self.subject == "tester":
            cpus = UNKNOWN if self.cpus is None else str(self.cpus)
            terms.append(["CPU", f"{self.cpu} x {cpus}"])
        if self.profile:
            terms.append(["profile", self.profile])
        terms.append(["measured", f"{self.started} UTC"])
        if self.clock:
            terms.append(["clock", CLOCKS[self.clock]])
        return terms

    def data(self) -> dict[str, Any]:
        """As plain data, for JSON and for the models of the widgets; `of` reads it."""
        plain = dict(self.__dict__)
        plain["others"] = [run.data() for run in self.others]
        return plain

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Provenance:
        """Read what `data` wrote; TypeError or KeyError for anything else."""
        plain = dict(data)
        plain["others"] = tuple([cls.of(each) for each in data["others"]])
        return cls(**plain)


def together(made_by: Iterable[Provenance | None]) -> Provenance | None:
    """The provenance of a table with numbers from several runs; None if there is no run."""
    runs = dict.fromkeys(run for each in made_by if each for run in each.runs)
    if not runs:
        return None
    first, *others = runs
    return replace(first, others=tuple(others))
