"""Every condition of a lab has RouterOS's commands and Linux's: the ones become the others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ppslab.model.lab import lab as labs
from ppslab.model.lab.conditions import Condition
from ppslab.model.lab.lab import Lab
from ppslab.model.packet_path.on_linux.session import Session, Taken
from rosexplain.parse import parsed
from tests.model.packet_path.on_linux.canonical import Ruleset, queues, ruleset

ROOT = Path(__file__).parents[4]
COVERED = ("fastpath", "fasttrack", "queues")

LOOP = ":for: a script: scripts are not run"
REFUSED = {
    "queues parent-25": {"/queue simple add: parent: no translation to this Linux router"},
    "queues simple-100": {LOOP},
    "queues simple-1000": {LOOP},
    "queues list-1000": {LOOP},
}

ROOM = "RouterOS's ethernet-default has room for 50 packets, the lab's pfifo for 1000"
QUEUES = {
    "fasttrack interface-queue": ROOM,
    "fasttrack half-fasttrack": ROOM,
    "queues pcq": "2000 KiB are 1353 full frames, the lab's SFQ has room for 1300",
    "queues loaded-pcq": "as pcq",
    "queues parent-25": "a tree of simple queues: parent= is refused",
    "queues simple-100": "the queues are made by a loop of RouterOS's scripts, which is refused",
    "queues simple-1000": "as simple-100",
    "queues list-1000": "as simple-100",
}
"""Conditions whose queues differ from the lab's, and why; that they do is looked at too."""


def wired(lab: Lab) -> list[tuple[str, str]]:
    own = [(f"ether{n + 2}", device) for n, device in enumerate(lab.spec.ports.values())]
    return own + list(lab.spec.ports.items())


def taken(lab: Lab, condition: Condition) -> Taken:
    text = "\n".join(lab.text(file) for file in condition.routeros)
    return Session(wired(lab)).take(text, condition.name)


def conditions() -> list[tuple[str, str]]:
    return [(name, each.name) for name in COVERED for each in labs.find(name).spec.conditions
            if each.routeros]  # fmt: skip


def rules_of(script: list[str]) -> Ruleset:
    text = "\n".join(script)
    blocks = re.findall(r"nft -f - <<'PPSLAB'\n(.*?)\nPPSLAB", text, re.DOTALL)
    return ruleset([block for block in blocks if "routeros-queues" not in block])


@pytest.mark.parametrize(("name", "condition"), conditions())
def test_the_rules_are_those_of_the_labs_own_linux_variant(name: str, condition: str) -> None:
    lab = labs.find(name)
    spec = lab.condition(condition)
    files = [lab.text(file) for file in spec.linux.nft]
    wanted = ruleset(
        [text for text in files if not re.search(r"table \S+ (simple-)?queues\b", text)]
    )
    found = rules_of(taken(lab, spec).script)
    assert found.chains == wanted.chains
    assert found.flowtables == wanted.flowtables
    if spec.linux.expect.conntrack is not None:
        assert found.tracked == spec.linux.expect.conntrack


@pytest.mark.parametrize(("name", "condition"), conditions())
def test_the_queues_are_those_of_the_labs_own_linux_variant(name: str, condition: str) -> None:
    lab = labs.find(name)
    spec = lab.condition(condition)
    if not spec.linux.tc or "vlan" in condition:
        pytest.skip("no queue")
    wanted = queues([lab.text(file) for file in spec.linux.tc], "eth2")
    found = queues(taken(lab, spec).script, "eth2")
    # A class for what no queue is for, which RouterOS has not.
    others = 1 if "default" in "".join(lab.text(f) for f in spec.linux.tc) else 0
    same = (found.leaves, found.marks) == (wanted.leaves, wanted.marks)
    same = same and found.classes in (wanted.classes, wanted.classes - others)
    assert same == (f"{name} {condition}" not in QUEUES), (found, wanted)


def test_each_line_of_a_lab_is_translated_or_refused_with_its_reason() -> None:
    lines, refused, bare = 0, 0, []
    for path in sorted((ROOT / "labs").rglob("*.rsc")):
        export = parsed(path.read_text(), str(path))
        wanted = len(export.commands) + len(export.unread)
        session = Session([("ether2", "eth1"), ("ether3", "eth2"), ("p1", "eth1"), ("p2", "eth2")])
        took = session.take(path.read_text(), str(path))
        numbers = {line for line, _ in took.refused}
        asked = {each.number for each in export.asked}
        assert took.count + len(numbers - asked) == wanted, path
        bare += [why for _, why in took.refused if ": " not in why]
        lines, refused = lines + wanted, refused + len(numbers - asked)
    assert bare == []
    # Fast Path, FastTrack and Queues are what is translated; there it is most of them.
    assert 0 < refused < lines / 2


def test_a_covered_lab_is_refused_only_what_is_listed() -> None:
    why: dict[str, set[str]] = {}
    for name, condition in conditions():
        lab = labs.find(name)
        for _, sentence in taken(lab, lab.condition(condition)).refused:
            why.setdefault(f"{name} {condition}", set()).add(sentence)
    assert why == REFUSED
