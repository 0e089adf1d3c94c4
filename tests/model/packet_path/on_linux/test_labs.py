"""Every condition of a lab has RouterOS's commands and Linux's: the ones become the others."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

from ppslab.model.lab import lab as labs
from ppslab.model.lab.conditions import Condition
from ppslab.model.lab.lab import Lab
from ppslab.model.packet_path.on_linux.translating import Refused, Translation
from rosexplain.parse import parsed

ROOT = Path(__file__).parents[4]
COVERED = ("fastpath", "fasttrack", "queues")


def translated(lab: Lab, condition: Condition) -> tuple[list[str], list[Refused]]:
    """The script of a condition, and what was refused."""
    devices = {f"ether{n + 2}": device for n, device in enumerate(lab.spec.ports.values())}
    made = Translation(devices | lab.spec.ports)
    text = "\n".join(lab.text(file) for file in condition.routeros)
    refused = made.take(text, condition.name)
    return made.script, refused


def conditions() -> list[tuple[str, str]]:
    return [(name, each.name) for name in COVERED for each in labs.find(name).spec.conditions
            if each.routeros]  # fmt: skip


def rules_of(script: list[str]) -> Ruleset:
    return ruleset(re.findall(r"nft -f - <<'PPSLAB'\n(.*?)\nPPSLAB", "\n".join(script), re.DOTALL))


@pytest.mark.parametrize(("name", "condition"), conditions())
def test_the_rules_are_those_of_the_labs_own_linux_variant(name: str, condition: str) -> None:
    lab = labs.find(name)
    spec = lab.condition(condition)
    files = [lab.text(file) for file in spec.linux.nft]
    wanted = ruleset(
        [text for text in files if not re.search(r"table \S+ (simple-)?queues\b", text)]
    )
    script, refused = translated(lab, spec)
    found = rules_of(script)
    assert found.chains == wanted.chains
    assert found.flowtables == wanted.flowtables
    if spec.linux.expect.conntrack is not None:
        assert found.tracked == spec.linux.expect.conntrack
    assert [why for _, why in refused if "/ip firewall" in why] == []


def test_each_line_of_a_lab_is_translated_or_refused_with_its_reason() -> None:
    taken = 0
    for path in sorted((ROOT / "labs").rglob("*.rsc")):
        export = parsed(path.read_text(), str(path))
        numbers = {each.number for each in (*export.commands, *export.asked, *export.unread)}
        made = Translation({"ether2": "eth1", "ether3": "eth2", "p1": "eth1", "p2": "eth2"})
        refused = made.take(path.read_text(), str(path))
        assert all(": " in why for _, why in refused), path
        assert {line for line, _ in refused} <= numbers, path
        taken += len(numbers) - len({line for line, _ in refused})
    assert taken > 100


# --- rules of nft in one spelling, so that two authors' files can be compared ---------------------


class Ruleset(NamedTuple):
    """What packets meet: rules by their hook, whether connections are tracked, flowtables."""

    chains: dict[str, list[str]]
    tracked: bool
    flowtables: list[str]


ASIDE = ("table", "delete", "counter accepted", "counter marked", "elements")
_COMMENT = re.compile(r' comment "[^"]*"')
_NAMED = re.compile(r"counter name \S+")


def ruleset(texts: list[str]) -> Ruleset:
    """The rules of several files, in the order of the files; tables and counters lose their
    names, and rules their comments.

    A chain that is jumped to is put in the place of its name.
    """
    hooks: dict[str, list[str]] = defaultdict(list)
    others: dict[str, list[str]] = {}
    flowtables: list[str] = []
    tracked = False
    for text in texts:
        where: list[str] = []
        for raw in text.splitlines():
            line = raw.split("#")[0].strip() if '"' not in raw else raw.strip()
            opened = re.fullmatch(r"(chain|flowtable|map|set) (\S+) \{", line)
            if opened:
                where = others.setdefault(opened[2], []) if opened[1] == "chain" else []
                if opened[1] == "flowtable":
                    where = flowtables
            elif line.startswith("type ") and (hook := re.match(r"type .*policy accept;", line)):
                where = hooks[hook[0].replace("routeros-", "")]
            elif line not in ("", "}") and not line.startswith(ASIDE):
                where.append(_COMMENT.sub("", _NAMED.sub("counter", line)))
                tracked = tracked or "ct state" in line
    for lines in [*hooks.values(), *others.values()]:
        for number, line in enumerate(lines):
            if jump := re.search(r"jump (\S+)", line):
                inside = "; ".join(others[jump[1]]).replace("meta l4proto icmp icmp", "icmp")
                lines[number] = line.replace(jump[0], f"jump [ {inside} ]")
    return Ruleset(
        {hook: lines for hook, lines in hooks.items() if lines}, tracked, sorted(set(flowtables))
    )
