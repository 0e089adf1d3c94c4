"""What a change takes away is named by a probe, at the bounds of what it takes away.

`probes.yml`-like cases in one file: a router, what is typed, and the kinds of harm.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rosexplain import explain, parse, probes

CASES = Path(__file__).with_name("probes.txt")


def read() -> list[object]:
    """The cases: `+++ NAME` a router, `=== NAME < ROUTER: KINDS` what is typed at it."""
    routers: dict[str, list[str]] = {}
    cases: list[tuple[str, str, list[str], list[str]]] = []
    into: list[str] = []
    for line in CASES.read_text().splitlines():
        if line.startswith("+++ "):
            into = routers.setdefault(line[4:], [])
        elif line.startswith("=== "):
            name, _, rest = line[4:].partition(" < ")
            router, _, kinds = rest.partition(":")
            into = []
            cases.append((name, router, kinds.split(), into))
        else:
            into.append(line)
    return [
        pytest.param("\n".join(routers[router]), "\n".join(typed), sorted(kinds), id=name)
        for name, router, kinds, typed in cases
    ]


@pytest.mark.parametrize(("router", "typed", "kinds"), read())
def test_a_change_does_the_harm_that_is_written_there(
    router: str, typed: str, kinds: list[str]
) -> None:
    export, change = parse.parsed(router, "router.rsc"), parse.parsed(typed, "typed")
    assert not change.unread
    before = explain([export])
    after = explain([export, change])
    assert not after.net.rows.unread
    assert sorted({harm.kind for harm in probes.harms(before, after)}) == kinds


TREE = """/ip address
add address=10.1.0.1/24 interface=ether2
add address=198.51.100.2/30 interface=ether1
/ip route
add gateway=198.51.100.1
/queue tree
add name=all parent={root}
add max-limit=30M name=child packet-mark={mark} parent=all
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
"""
FASTTRACKING = (
    "/ip/firewall/filter/add chain=forward action=fasttrack-connection "
    "connection-state=established,related"
)


@pytest.mark.parametrize(
    ("root", "mark", "lines"),
    [
        ("global", '""', [7, 8]),
        ("ether1", '""', []),
        ("ether1", "no-mark", []),
        ("ether1", "voice", [7, 8]),
        ("ether1", "voice,no-mark", []),
    ],
)
def test_fasttrack_takes_away_every_queue_of_a_branch(
    root: str, mark: str, lines: list[int]
) -> None:
    """By what the branch hangs from, and by what its leaf takes."""
    export = parse.parsed(TREE.format(root=root, mark=mark), "router.rsc")
    change = parse.parsed(FASTTRACKING, "typed")
    harms = probes.harms(explain([export]), explain([export, change]))
    assert [harm.line.number for harm in harms if harm.line is not None] == lines


@pytest.mark.parametrize(
    ("states", "matched"),
    [
        ("new", "new"),
        ("!new", "established"),
        ("!new,established", "related"),
        ("established,related", "established"),
        ("!established,related", "new"),
        ("!invalid", "new"),
    ],
)
def test_a_rule_s_own_packet_is_in_a_state_that_it_matches(states: str, matched: str) -> None:
    rule = f"add action=drop chain=input connection-state={states} dst-port=8291 protocol=tcp\n"
    router = TREE.format(root="ether1", mark="m") + "/ip firewall filter\n" + rule
    asked = probes.probes_of(explain([parse.parsed(router, "router.rsc")]))
    packets = [probe.packet for probe in asked if probe.packet is not None]
    assert matched in {packet.state for packet in packets if packet.dst_port == 8291}
