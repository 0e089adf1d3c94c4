"""The parts of a report that every run has: where, how, how well, with which configuration."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from ppslab.base.text.grouping import count_text
from ppslab.base.text.numbers import percent_text, plural
from ppslab.base.text.tables import Table, cells
from ppslab.base.units import human_rate
from ppslab.presentation.report.document import Block, Files, Items, Notice, Section, Text
from ppslab.presentation.report.sources import Source
from ppslab.results import Run, Trial

ISOLATED = (
    "RFC 2544's methods are for an isolated test environment: their loads and addresses do not "
    "belong on a network that carries anything else, and their results say nothing of a service "
    "that runs there (RFC 6815)."
)
"""Said in every report whose record does not say it."""


SAID = "what the router said of itself before the first trial"


_NUMBER = re.compile(r"\d+(\.\d+)?")


def notices(source: Source) -> list[Block]:
    """What comes first: warnings, and what is missing from the run."""
    record = source.record
    blocks: list[Block] = []
    if record.state != "completed":
        blocks.append(
            Notice(
                "This run was aborted",
                ("What follows was measured until then; it is not a result of the lab.",),
            )
        )
    warnings: tuple[str, ...] = getattr(record, "warnings", ())
    if not any("6815" in warning for warning in warnings):
        warnings = (ISOLATED, *warnings)
    blocks.append(Notice("Warning", warnings))
    return blocks


def skipped(record: Run) -> tuple[str, ...]:
    """The conditions that were not measured, with the reasons."""
    return tuple(f"Not measured: {each.condition}: {each.reason}." for each in record.skipped)


def method(record: Run, words: tuple[str, ...]) -> Section:
    """How it was measured: the record kind's `words`, the profile, and every deviation."""
    profile = record.profile
    purpose = f" ({profile['purpose']})" if profile.get("purpose") else ""
    blocks: list[Block] = [
        Text(
            f"Profile {profile['name']}{purpose}. The order of the trials was drawn at random "
            f"from the seed {record.seed}."
        ),
        Items(words),
    ]
    deviations = record.deviations or ("None known.",)
    return Section(
        "Method",
        tuple(blocks),
        (
            Section(
                "Deviations from RFC 2544",
                (Items(deviations),),
            ),
        ),
    )


def environment(record: Run) -> Section:
    """Router, tester, machine: everything that the record holds about them."""
    rows = tuple(cells(name, text) for name, text in facts(record))
    return Section("Environment", (Table("The test bed", ("what", "as recorded"), rows),))


def facts(record: Run) -> list[tuple[str, str]]:
    """The facts of the run, each a name and a text."""
    tester = record.tester
    rows: list[tuple[str, str]] = [
        ("router", record.router["name"]),
        ("what it cannot show", record.router.get("cannot_show", "")),
        ("tester", f"{tester.name} {tester.version}".strip()),
        *(
            (f"the tester alone, {size} bytes", human_rate(limit))
            for size in sorted({*tester.back_to_back, *tester.into_the_router})
            if (limit := tester.limit(size)) is not None
        ),
        ("backend", record.backend),
        *_flat(record.environment),
        *(
            (f"CPU of the {who}", "shared" if cpu is None else str(cpu))
            for who, cpu in record.cpus.items()
        ),
        ("ppslab", " ".join(part for part in record.ppslab.values() if part)),
    ]
    return [(name, text) for name, text in rows if text]


def digest(files: Mapping[str, str]) -> str:
    """Twelve digits that differ where the files or their names differ."""
    text = "\0".join(f"{name}\0{files[name]}" for name in sorted(files))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _flat(words: Mapping[str, Any], above: str = "") -> list[tuple[str, str]]:
    """Nested mappings as rows: `programs: nft`."""
    rows: list[tuple[str, str]] = []
    for key, value in words.items():
        name = f"{above}{key}".replace("_", " ")
        if isinstance(value, Mapping):
            rows += _flat(value, f"{name}: ")
        elif isinstance(value, list | tuple):
            rows.append((name, ", ".join(str(each) for each in value)))
        elif isinstance(value, bool):
            rows.append((name, "yes" if value else "no"))
        elif value is not None:
            rows.append((name, str(value)))
    return rows


def conditions(record: Run) -> Section:
    """Each condition with its configuration, and the router's state as it was read back."""
    return Section(
        "Configuration of each condition",
        (Items(skipped(record)),) if record.skipped else (),
        tuple(
            Section(
                f"{each.title} ({each.name})",
                tuple(
                    block
                    for block in (
                        Text(each.description) if each.description else None,
                        Text(f"BPF program attached: {each.bpf_mode}.") if each.bpf_mode else None,
                        Files(each.configuration) if each.configuration else None,
                        Files({SAID: each.read_back}, printed=False) if each.read_back else None,
                    )
                    if block is not None
                ),
            )
            for each in record.conditions
        ),
    )


def trials(record: Run) -> Section:
    """How many trials were valid, by their purpose, and why the others were not."""
    found: dict[str, list[Trial]] = {}
    for trial in record.trials:
        found.setdefault(trial.purpose, []).append(trial)
    rows = tuple(
        cells(
            purpose,
            str(len(mine)),
            str(sum(trial.valid for trial in mine)),
            f"{sum(trial.intended_duration for trial in mine):.1f} s",
            count_text(sum(trial.counts["offered"] for trial in mine if trial.counts)),
        )
        for purpose, mine in found.items()
    )
    lines = _reasons([said for trial in record.trials for said in trial.invalid_because])
    return Section(
        "Trials",
        (
            Table(
                "Trials by purpose",
                ("for", "trials", "valid", "traffic", "frames offered"),
                rows,
                notes=(_validity(record),),
            ),
            *((Text("Why trials were not valid:"), Items(lines)) if lines else ()),
        ),
    )


def _reasons(said: list[str]) -> tuple[str, ...]:
    """Reasons that differ only in their numbers are merged, and one of them is shown."""
    kinds: dict[str, list[str]] = {}
    for reason in said:
        kinds.setdefault(_NUMBER.sub("", reason), []).append(reason)
    lines = []
    for reasons in sorted(kinds.values(), key=len, reverse=True):
        alike = len(set(reasons)) > 1
        lines.append(f"{plural(len(reasons), 'trial')}: {'such as ' if alike else ''}{reasons[0]}")
    return tuple(lines)


def _validity(record: Run) -> str:
    spoiled = sum(not trial.valid for trial in record.trials)
    if not spoiled:
        return f"All {plural(len(record.trials), 'trial')} were valid."
    share = percent_text(spoiled / len(record.trials))
    return f"{spoiled} of {plural(len(record.trials), 'trial')} ({share}) were not valid."


def raw(source: Source, measured: int) -> Section:
    """Where the numbers come from, to the byte; `measured`: how many trials or transfers."""
    record = source.record
    took = (record.finished - record.started).total_seconds()
    return Section(
        "Raw data",
        (
            Table(
                "The record",
                ("what", "as recorded"),
                (
                    cells("record", record.id),
                    cells("file", source.file),
                    cells("SHA-256 of the file", source.sha256),
                    cells("schema", source.schema),
                    cells("started", f"{record.started:%Y-%m-%d %H:%M:%S} UTC"),
                    cells("finished", f"{record.finished:%Y-%m-%d %H:%M:%S} UTC ({took:.0f} s)"),
                    cells("trials", str(measured)),
                ),
                notes=(
                    "The record holds every trial with the tester's own counts, "
                    "every configuration and every read-back; this report holds no other data.",
                ),
            ),
        ),
    )
