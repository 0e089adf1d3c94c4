#!/usr/bin/env python3
"""Name the measurements whose newest record on this machine is older than what it was made from.

    .venv/bin/python scripts/records/runs_to_make.py [--book] [--root FOLDER]

Prints what to give to `ppslab`, one measurement a line: `run fastpath counted`, `run fastpath
timed`, `calibrate`, `rfc2544 fastpath`, `tcp fastpath`, `break fastpath`; nothing when every record
is newer than its inputs.  --book: of `run` only, which is what the book's costs rest on.
What is counted stands first, as it may be measured side by side; what is timed may not.
A lab has the RFC 2544 suite and TCP where its lab.yml has those words, and `run` where it has
flows: by its own measure where this machine can, and by time too where it says `timed_too`.

A record counts when it is completed; one of `ppslab run` only when it holds every condition and
frame size of the lab (a run of one condition is for trying things out; the site needs them all).
A lab of which a file is wrong is left out.
stderr says why a measurement is named, and a lab is not.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ppslab.core.documents import imports
from ppslab.core.errors import PpslabError
from ppslab.core.measures import Measure
from ppslab.measure.options import RunOptions, measure_of
from ppslab.model.lab import lab, topology
from ppslab.model.lab.lab import Lab, LabSpec
from ppslab.model.results.kinds import Command
from ppslab.model.results.storing import age_key

# What a measurement is made from beside a lab's own folder, its topology, and modules of ppslab.
SHARED = ("images/linux-router", "traffic")
IGNORED_SUFFIXES = {".pyc", ".o", ".a", ".md", ".svg"}
IGNORED_FOLDERS = {"__pycache__", "fuzz", "tests"}

# The module that each command begins with: it is made from what that imports, import by import.
BEGIN = {
    "run": "ppslab.measure.run",
    "calibrate": "ppslab.measure.calibration.experiment",
    "rfc2544": "ppslab.measure.rfc2544.suite",
    "tcp": "ppslab.measure.tcp",
    "break": "ppslab.measure.faults",
}
# Only for the router in RouterOS's place, which is none that is measured here.
ELSEWHERE = "ppslab.testbed.routers.routeros"

# Command: the word of lab.yml that a lab must have for it, and what its records' names begin with.
# The instrument is broken where it is tested most.
COMMANDS: dict[Command, tuple[str, str]] = {
    "rfc2544": ("rfc2544", "rfc2544-"),
    "tcp": ("tcp", "tcp-"),
    "break": ("rfc2544", "faults-"),
}

MEASURES: tuple[Measure, ...] = ("counted", "timed")
NEVER = "never measured on this machine"
TESTER = "ppstraffic"
"""Whose calibration `make book` keeps."""


@dataclass(frozen=True)
class Wanted:
    """A measurement to make, and why; `measure` is None where the command has no choice."""

    command: Command
    lab: str
    measure: Measure | None = None
    why: str | None = None

    @property
    def key(self) -> tuple[Command, str, Measure | None]:
        """The key of its failure among those that are kept."""
        return self.command, self.lab, self.measure

    def __str__(self) -> str:
        words = (self.command, "" if self.command == "calibrate" else self.lab, self.measure)
        return " ".join(filter(None, words))


def wanted(root: Path, *, book: bool) -> list[Wanted]:
    """Return the measurements that are to be made, in order; a lab that is wrong is told."""
    described: list[Lab] = []
    for path in sorted(root.glob("labs/[!_]*/lab.yml")):
        try:
            described.append(lab.load(path.parent))
        except PpslabError as error:
            print(f"{path.parent.name} is left out: {error}", file=sys.stderr)
    every = [
        Wanted("run", each.name, measure, reason_to_measure(root, each, measure))
        for measure in MEASURES
        for each in described
        if each.spec.flows and measure in measures_of(each)
    ]
    if not book:
        own = shared_inputs(root, "calibrate")
        why = reason_of_age(root, "calibration-", TESTER, own)
        every.append(Wanted("calibrate", TESTER, why=why))
        for each in described:
            for command, (word, prefix) in COMMANDS.items():
                if getattr(each.spec, word):
                    why = reason_of_age(root, prefix, each.name, inputs(root, each, command))
                    every.append(Wanted(command, each.name, why=why))
    return [each for each in every if each.why]


def main() -> None:
    """Print the measurements that are to be made."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--book", action="store_true", help="only what `ppslab run` measures")
    options = parser.parse_args()
    for each in wanted(options.root, book=options.book):
        print(f"{each}: {each.why}", file=sys.stderr)
        print(each)


def measures_of(asked: Lab) -> set[Measure]:
    """Return the measures of the lab's packets: that of `ppslab run` here, and lab.yml's."""
    own = measure_of(None, RunOptions(), asked)
    return {own, "timed"} if asked.spec.timed_too else {own}


def reason_to_measure(root: Path, asked: Lab, measure: Measure) -> str | None:
    """Return the reason to measure the lab, or None.

    A later run of a part takes nothing from the newest run of the whole, which pages show too.
    """
    why = ""
    for path, data in completed_records(root, asked.name, measure=measure):
        lacks = what_lacks(asked.spec, path, data)
        if not lacks:
            return too_old(root, path, inputs(root, asked, "run"))
        why = why or lacks
    return why or NEVER


def what_lacks(spec: LabSpec, path: Path, data: dict[str, Any]) -> str:
    """Name the lab's conditions or frame sizes that a record has not; empty where it has all."""
    recorded = {each["name"] for each in data.get("conditions", [])}
    recorded |= {each["condition"] for each in data.get("skipped", [])}
    wanted = [each.name for each in spec.conditions if each.flows]
    missing = [name for name in wanted if name not in recorded]
    if missing:
        return f"{path.name} has no {', '.join(missing)}"
    sizes = [size for size in spec.frame_sizes if size not in data.get("frame_sizes", [])]
    if sizes:
        return f"{path.name} has no frames of {', '.join(map(str, sizes))} bytes"
    return ""


def reason_of_age(root: Path, prefix: str, lab: str, sources: Iterable[Path]) -> str | None:
    """Return why a record is too old: it is not there, or a source changed after it."""
    newest = next(completed_records(root, lab, prefix), None)
    return too_old(root, newest[0], sources) if newest else NEVER


def too_old(root: Path, path: Path, sources: Iterable[Path]) -> str | None:
    """Name the source that changed after a record, or is not there; None where none did."""
    made = path.stat().st_mtime
    for source in sources:
        if not source.exists():
            return f"{source.relative_to(root)} is not there"
        if source.stat().st_mtime > made:
            return f"{source.relative_to(root)} changed after {path.name}"
    return None


def completed_records(
    root: Path, lab: str, prefix: str = "", measure: str = "timed"
) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The completed records of a kind that were made here, newest first by the time in the name.

    `prefix`: what the file names of the kind begin with.  The calibration of a tester has the
    tester's name for a lab.
    """
    pattern = f"local/{prefix}{lab}-*Z-*.json"
    found = sorted(results_dir(root).glob(pattern), key=lambda path: age_key(path.name))
    for path in reversed(found):
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue  # half a record is no record; `ppslab validate results/` says what is wrong
        if (
            isinstance(data, dict)
            and data.get("lab", lab) == lab
            and data.get("state", "") != "aborted"
            and data.get("measure", "timed") == measure
        ):
            yield path, data


def results_dir(root: Path) -> Path:
    """Where ppslab.core.paths.results_dir() has it."""
    return Path(os.environ.get("PPSLAB_RESULTS") or root / "results")


def inputs(root: Path, asked: Lab, command: str) -> Iterator[Path]:
    """The files that a command's measurement of the lab is made from."""
    yield asked.folder / "lab.yml"
    for part in ("linux", "routeros"):
        yield from files(asked.folder / part)
    wirings = [asked.spec.topology, asked.spec.tcp.topology if asked.spec.tcp else None]
    for wiring in dict.fromkeys(name for name in wirings if name):
        yield root / "topologies" / f"{wiring}{topology.SUFFIX}"
    yield from shared_inputs(root, command)


def shared_inputs(root: Path, command: str) -> Iterator[Path]:
    """The files that the command's measurement of any lab is made from."""
    for shared in SHARED:
        yield from files(root / shared)
    yield from of_ppslab(root, command)


@cache
def of_ppslab(root: Path, command: str) -> list[Path]:
    """The modules that the command runs, and the data that lies beside them."""
    sources = root / "src"
    modules = {*imports.followed((BEGIN[command],), sources, without=ELSEWHERE).values()}
    return [path for path in files(sources / "ppslab") if is_module_or_data(path, modules)]


def is_module_or_data(path: Path, modules: Set[Path]) -> bool:
    """True for a file that is one of the modules, or no module and in the package of one."""
    packages = (above / "__init__.py" for above in path.parents)
    package = next((file for file in packages if file.exists()), None)
    return path in modules or (path.suffix != ".py" and package in modules)


def files(folder: Path) -> Iterator[Path]:
    """Every source file under the folder; not what compiling left there."""
    for path in sorted(folder.rglob("*")):
        # A file without a suffix is a program that was built, and newer than its sources.
        named = path.suffix not in IGNORED_SUFFIXES | {""} or path.name == "Makefile"
        if named and path.is_file() and not IGNORED_FOLDERS & set(path.parts[len(folder.parts) :]):
            yield path


if __name__ == "__main__":
    main()
