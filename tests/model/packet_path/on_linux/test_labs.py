"""Every condition of a lab has RouterOS's commands and Linux's: the ones become the others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ppslab.model.lab import lab as labs
from ppslab.model.lab.conditions import Condition
from ppslab.model.lab.lab import Lab
from ppslab.model.packet_path.on_linux.translating import Refused, Translation
from rosexplain.parse import parsed
from tests.model.packet_path.on_linux.canonical import Ruleset, ruleset

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
