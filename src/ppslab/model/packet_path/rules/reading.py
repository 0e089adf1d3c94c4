"""The files of the rules read, strictly; and as plain data, for what runs in MicroPython."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.errors import FileError, UsageError, did_you_mean
from ppslab.model import manual
from ppslab.model.packet_path.rules.schema import Base, Rule, Subject
from ppslab.model.switch_chip import chips, ports
from ppslab.model.switch_chip.chips import Chip

FOLDER = Path(__file__).parent
BASE = "base.yml"
DECISIONS = "packet_path.yml"
"""The facts that the model of the packet path decides by, beside the features."""

BESIDE = ("fast-path-local", "fasttrack-bridge", "bridge-order", "bridge-one-hardware",
          "bridge-hardware-horizon", "bonding-hardware-modes", "client-disabled",
          "vxlan-no-fast-path", "fast-path-lte", "l3hw-other-switch",
          "l3hw-ports-counted", "l3hw-vrf-hardware",
          "bridge-hardware-features", "safe-mode", "undo")  # fmt: skip

CLASSES: dict[str, Callable[[Chip], bool]] = {
    "all": lambda chip: True,
    "nat": lambda chip: chip.nat != 0,
    "no-nat": lambda chip: chip.nat == 0,
    "no-vrf": lambda chip: not chip.vrf,
    "fasttrack": lambda chip: chip.fasttrack != 0,
    "on-bridge": lambda chip: not chip.vlan_on_port,
    "on-port": lambda chip: chip.vlan_on_port,
    "one-byte": lambda chip: not chip.indexes,
    "no-vxlan": lambda chip: chip.fasttrack == 0,
}
"""The classes of switch chips that a rule of hardware offload is about."""


@dataclass(frozen=True)
class Kept:
    """A rule with its name and place."""

    id: str
    rule: Rule
    subject: str
    file: Path
    line: int


@dataclass(frozen=True)
class RuleBase:
    """Every rule by its id, in the order of the files."""

    base: Base
    rules: Mapping[str, Kept]

    def rule(self, name: str) -> Rule:
        """The rule called `name`; UsageError where there is none."""
        if name not in self.rules:
            near = did_you_mean(name, self.rules)
            raise UsageError(f"no rule {name!r}{near} in src/ppslab/model/packet_path/rules/")
        return self.rules[name].rule


def load(folder: Path | None = None) -> RuleBase:
    """The rules; FileError with the line of what is wrong in a file."""
    files = tuple(sorted((folder or FOLDER).glob("*.yml")))
    return _load(tuple((file, file.stat().st_mtime_ns) for file in files))


@lru_cache(maxsize=4)
def _load(files: tuple[tuple[Path, int], ...]) -> RuleBase:
    found: dict[str, Kept] = {}
    base: Base | None = None
    for file, _ in files:
        document = documents.load_yaml(file)
        if file.name == BASE:
            base = fitting.validate(document, Base)
            continue
        subject = fitting.validate(document, Subject)
        for name, rule in subject.rules.items():
            keys = ("rules", name)
            if name in found:
                there = found[name]
                message = f"{name} stands in {there.file.name}:{there.line} already"
                raise document.error(keys, message)
            found[name] = Kept(name, rule, subject.subject, file, document.line(*keys))
    if base is None:
        raise UsageError(f"{BASE} is missing beside the rules: it says what they were read for")
    for kept in found.values():
        carries = kept.rule.carries
        if carries and carries.name not in base.carried:
            near = did_you_mean(carries.name, base.carried)
            message = f"carries: no class {carries.name!r}{near} under `carried` in {BASE}"
            raise FileError(kept.file, kept.line, message)
    return RuleBase(base, found)


def rule(name: str) -> Rule:
    """The rule called `name`; UsageError where there is none."""
    return load().rule(name)


def of_chip(chip: Chip) -> list[str]:
    """The classes that a chip belongs to."""
    return [name for name, holds in CLASSES.items() if holds(chip)]


@lru_cache(maxsize=1)
def plain() -> dict[str, Any]:
    """Rules, facts, chips and defaults as data for `explain`, which reads no file."""
    known = load()
    made = []
    names: dict[str, None] = {}
    decisions = documents.load_yaml(FOLDER.with_name(DECISIONS)).data
    names.update(dict.fromkeys([*decisions["rules"], *decisions["beside"], *BESIDE]))
    for kept in known.rules.values():
        data = kept.rule.model_dump(mode="json", exclude={"holds", "not_"})
        made.append({**data, "id": kept.id, "subject": kept.subject})
        names.update(dict.fromkeys(kept.rule.named))
    facts = {}
    for name in names:
        told = manual.fact(name)
        facts[name] = {
            "says": told.says,
            "cited": told.cited,
            "source": told.source,
            "since": told.fact.since,
            "until": told.fact.until,
        }
    return {
        "version": known.base.version,
        "read_for": known.base.read_for,
        "read": known.base.read,
        "rules": made,
        "facts": facts,
        "paths": [each.model_dump(mode="json") for each in known.base.paths],
        "carried": known.base.carried,
        "defaults": [each.model_dump(mode="json") for each in known.base.defaults],
        "chips": [
            {
                "name": chip.name,
                "devices": list(chip.devices),
                "classes": of_chip(chip),
                "ways": chip.ecmp_ways or 0,
                "fasttrack": chip.fasttrack != 0,
            }
            for chip in chips.load()
        ],
        "ports": [
            {"devices": [each.device], "ethernet": each.ethernet, "elsewhere": list(each.elsewhere)}
            for each in ports.load()
        ],
        "bridging": [
            {
                "devices": [each.device],
                "chip": each.chip,
                "refuses": list(each.refuses),
                "since": each.since,
                "ports": [list(group) for group in each.ports],
            }
            for each in ports.bridging()
        ],
    }
