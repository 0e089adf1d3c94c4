"""What a seat on the server may try against the others: rows of data, and what came of each.

`made` makes the attacks in a real systemd, and writes `newest.json` and the table of a page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.text.tables import Cell, Table

FILE: Final = Path(__file__).parent / "attacks.yml"
NEWEST: Final = Path(__file__).parent / "newest.json"
PAGE: Final = Path(__file__).parent / "newest.md"
"""The table of the newest run, which book/hall.md includes."""
GOT: Final = "got"
"""What a try says that gained something."""

FEW: Final = 3


class Attack(StrictModel):
    """A row of attacks.yml, whose head says what each word means."""

    name: str = Field(pattern="^[a-z-]+$")
    tries: str
    limit: str
    gain: str
    control: Literal["root", "user", "token", "free", "unit", "none"]
    lifted: dict[str, str] = Field(default_factory=dict)
    because: str = ""
    every: bool = True
    during: bool = False
    slow: bool = False
    within: float = Field(gt=0)

    def __str__(self) -> str:
        return self.name


class Attacks(StrictModel):
    """The file."""

    attacks: tuple[Attack, ...] = Field(min_length=1)


Said = tuple[tuple[str, str], ...]
"""Each try, and what came of it: got, or the name of what refused it."""


class Result(StrictModel):
    """What came of an attack."""

    said: Said = Field(min_length=1)
    control: Said
    neighbour_seconds: float = Field(ge=0, description="until its check was answered, the longest")

    @property
    def gained(self) -> list[str]:
        """The tries that gained something."""
        return [what for what, came in self.said if came == GOT]

    def refusals(self) -> str:
        """What came of few tries one by one, of more by what refused them."""
        if len(self.said) <= FEW:
            return "; ".join(f"{what}: {came}" for what, came in self.said)
        counts = Counter(came for _, came in self.said if came != GOT)
        parts = [f"{count} x {came}" for came, count in counts.most_common()]
        return ", ".join([*parts, *(f"GAINED {what}" for what in self.gained)])


class Newest(StrictModel):
    """The newest run of all attacks."""

    at: datetime
    kernel: str
    systemd: int
    cgroups: Literal[1, 2]
    cpus: int
    memory_mib: int
    tasks: int
    disk_mib: int
    results: dict[str, Result]


def load() -> tuple[Attack, ...]:
    """Every attack, in the order of the page."""
    return fitting.validate(documents.load_yaml(FILE), Attacks).attacks


def newest() -> Newest:
    """What came of them when they were last made and kept."""
    return fitting.validate(documents.load_json(NEWEST), Newest)


def table(attacks: tuple[Attack, ...], run: Newest) -> Table:
    """Row by row: what was tried, what stops it, and what came of it."""
    rows = tuple(_row(each, run.results) for each in attacks)
    tries = sum(len(each.said) for each in run.results.values())
    gained = sum(len(each.gained) for each in run.results.values())
    notes = (
        f"{tries} tries on {run.at:%d %B %Y}: {gained} succeeded. "
        f"systemd {run.systemd} in namespaces of its own, Linux {run.kernel}, cgroups version "
        f"{run.cgroups}, {run.cpus} CPUs; a seat had {run.memory_mib} MiB, {run.tasks} tasks and "
        f"{run.disk_mib} MiB of disk.",
    )
    header = (
        *("a seat tries to", "what stops it", "success would be", "result"),
        "a neighbour waited",
    )
    return Table("What a seat on the server tries", header, rows, notes)


def markdown(attacks: tuple[Attack, ...], run: Newest) -> str:
    """The table for a page."""
    shown = table(attacks, run)
    rows = [[cell.text.replace("|", "\\|") for cell in row] for row in shown.rows]
    lines = [list(shown.header), ["---"] * len(shown.header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + f"\n{' '.join(shown.notes)}\n"


def _row(attack: Attack, results: Mapping[str, Result]) -> tuple[Cell, ...]:
    found = results[attack.name]
    return (
        Cell(attack.tries),
        Cell(attack.limit),
        Cell(attack.gain),
        Cell(found.refusals()),
        Cell(f"{found.neighbour_seconds:.2f} s" + (" meanwhile" if attack.during else "")),
    )
