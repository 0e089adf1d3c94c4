"""What a seat on the server may try against the others: the rows of attacks.yml, each made once.

    PYTHONPATH=.:packages/ppslab-class python -m benchmarks.seat_attacks.attacks [--keep] [NAME...]

makes all attacks, or those that are named, in a box with a real systemd (`box`, `day`, `seat`), and
prints what came of each; `--keep` writes the table of book/hall-reference.md.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field

from benchmarks.seat_attacks import box
from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel

FILE: Final = Path(__file__).parent / "attacks.yml"
PAGE: Final = Path(__file__).parent / "newest.md"
"""The table of the newest run, which book/hall-reference.md includes."""

GOT: Final = "got"
"""What a try says that gained something."""

MEMORY_MIB, TASKS, DISK_MIB, CPUS = 512, 128, 96, 1.0
"""What a seat of the box has."""

FEW: Final = 3
OUTPUT: Final = "/run/results.json"
SECONDS: Final = 300


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


def load() -> tuple[Attack, ...]:
    """Every attack, in the order of the page."""
    return fitting.validate(documents.load_yaml(FILE), Attacks).attacks


def run(names: list[str]) -> dict[str, Any]:
    """What came of each, in a fresh box; box.NoBoxError where there is none.

    `results`: by the attack's name `said` and `control`, each try and what came of it (got, or the
    name of what refused it), and `neighbour_seconds`.  `after`: what the day left.
    """
    with box.started() as started:
        root = Path(__file__).parents[4]
        path = f"PYTHONPATH={root}:{root}/packages/ppslab-class"
        print(
            started.run(
                *("env", path, "HOME=/root", f"PATH={os.environ['PATH']}"),
                *(sys.executable, "-m", "benchmarks.seat_attacks.day", OUTPUT, *names),
                seconds=SECONDS,
            )
        )
        came: dict[str, Any] = json.loads(started.run("cat", OUTPUT))
        return came


def markdown(results: dict[str, Any]) -> str:
    """The table for a page: row by row what was tried, what stops it, and what came of it."""
    header = (
        *("a seat tries to", "what stops it", "success would be", "result"),
        "a second seat waited",
    )
    rows = [header, ("---",) * len(header)]
    for attack in load():
        result = results[attack.name]
        waited = f"{result['neighbour_seconds']:.2f} s" + (" meanwhile" if attack.during else "")
        rows.append((attack.tries, attack.limit, attack.gain, refusals(result["said"]), waited))
    tries = [came for result in results.values() for _, came in result["said"]]
    systemd = subprocess.run(["systemctl", "--version"], capture_output=True, text=True, check=True)
    kernel = platform.release()
    note = (
        f"{len(tries)} attempts on {datetime.now(UTC):%d %B %Y}: {tries.count(GOT)} succeeded. "
        f"systemd {systemd.stdout.split()[1]} in separate namespaces, Linux {kernel}, "
        f"cgroups version {2 if (box.CGROUPS / 'cgroup.procs').exists() else 1}, "
        f"{len(os.sched_getaffinity(0))} CPUs; a seat had {MEMORY_MIB} MiB, {TASKS} tasks and "
        f"{DISK_MIB} MiB of disk."
    )
    lines = (" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows)
    return "".join(f"| {line} |\n" for line in lines) + f"\n{note}\n"


def refusals(said: list[tuple[str, str]]) -> str:
    """What came of few tries one by one, of more by what refused them.

    >>> refusals([("84 MiB in /tmp", "ENOSPC")])
    '84 MiB in /tmp: ENOSPC'
    >>> refusals([("a", "EACCES"), ("b", "EPERM"), ("c", "EACCES"), ("the key", "got")])
    '2 x EACCES, 1 x EPERM, GAINED the key'
    """
    if len(said) <= FEW:
        return "; ".join(f"{what}: {came}" for what, came in said)
    counts = Counter(came for _, came in said if came != GOT)
    parts = [f"{count} x {came}" for came, count in counts.most_common()]
    return ", ".join([*parts, *(f"GAINED {what}" for what, came in said if came == GOT)])


if __name__ == "__main__":
    outcome = run([word for word in sys.argv[1:] if word != "--keep"])
    print(json.dumps(outcome, indent=1))
    if "--keep" in sys.argv:
        PAGE.write_text(markdown(outcome["results"]), encoding="utf-8")
