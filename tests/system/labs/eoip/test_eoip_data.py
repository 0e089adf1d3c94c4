"""The EoIP lab's files: what each read-back catches, and which of the tunnels is whose mirror."""

from __future__ import annotations

import re

import pytest

from ppslab.model.lab import lab
from ppslab.testbed.routers.linux.deployed import Deployed
from ppslab.testbed.routers.linux.read_back import State, compare
from tests.support import excerpts

EOIP = lab.find("eoip")
PORTS = ["eth1", "eth2"]
UNTOUCHED = Deployed({}, (), (), {})

# What the kernel answers where a step of the condition was left out: pattern, and what is there
# in its place.
MISSED = {
    "eoip-wire": {
        "the program at the tunnel": (r"eoip\.o:\[tunnel\]", "-"),
        "the program on the way out": (r"eoip\.o:\[out\]", "-"),
        "the program on the way in": (r"eoip\.o:\[in\]", "-"),
        "the bridge": (r"master br-lan ", ""),
    },
    "vxlan": {
        "the bridge": (r"master br-lan ", ""),
        "the identifier": (r"vxlan id 100 ", "vxlan id 101 "),
        "the port": (r"dstport 4789", "dstport 8472"),
        "the MTU": (r"mtu 9000", "mtu 9450"),
    },
    "gre": {
        "the route": (r"via 198\.19\.0\.2 dev gre1", "via 198.19.1.1 dev eth2"),
        "the far end": (r"gre/ip remote \S+", "gre/ip remote any"),
        "up": (r"NOARP,UP,LOWER_UP", "NOARP"),
    },
    "ipip": {
        "the route": (r"via 198\.19\.0\.2 dev ipip1", "via 198.19.1.1 dev eth2"),
        "the far end": (r"ip/ip remote \S+", "ip/ip remote any"),
        "up": (r"NOARP,UP,LOWER_UP", "NOARP"),
    },
    "wireguard": {
        "the route": (r"via 198\.19\.0\.2 dev wg1", "via 198.19.1.1 dev eth2"),
        "the handshake": (r"=\s+[1-9]\d*", "=\t0"),
        "the MTU": (r"mtu 9420", "mtu 1420"),
    },
}


def problems(name: str, change: tuple[str, str] | None = None) -> list[str]:
    """What r1's answers in the excerpt of a record miss, after a change of them."""
    record = excerpts.record(excerpts.TUNNELS)
    answer = next(each for each in record.conditions if each.name == name).read_back
    heading = answer.index("## answer 0")
    if change:
        changed = re.sub(change[0], change[1], answer[heading:])
        assert changed != answer[heading:], f"{name} does not answer {change[0]}"
        answer = answer[:heading] + changed
    found = compare(
        EOIP.condition(name).linux,
        State.of(answer, PORTS),
        ports=PORTS,
        deployed=UNTOUCHED,
        listing=[],
        bpf_mode="tc",
    )
    return list(found)


@pytest.mark.parametrize("name", MISSED)
def test_a_read_back_finds_nothing_where_all_of_it_loaded(name: str) -> None:
    assert problems(name) == []


@pytest.mark.parametrize(
    ("name", "what"), [(name, what) for name, all_of in MISSED.items() for what in all_of]
)
def test_a_read_back_finds_what_did_not_load(name: str, what: str) -> None:
    assert problems(name, MISSED[name][what])


@pytest.mark.parametrize("name", ["vxlan", "gre", "ipip", "wireguard"])
def test_both_routers_of_routeros_have_a_tunnel_to_each_other(name: str) -> None:
    files = EOIP.condition(name).routeros
    ends = [EOIP.text(file) for file in files if file.endswith(f"/{name}.rsc")]
    assert len(ends) == 2
    for number, text in enumerate(ends, start=1):
        assert f"198.19.{3 - number}.2" in text, name


FAR = (
    "eoip-fragments-20ms",
    "eoip-fragments-far",
    "eoip-fragments-lossless",
    "eoip-fragments-lossy",
)
"""Conditions that differ in what the path in the middle delays and loses."""


def core_state(name: str) -> State:
    """What the core answered in the excerpt of a TCP record, under a condition."""
    record = excerpts.tcp_record(excerpts.FAR_TUNNELS)
    answer = next(each for each in record.conditions if each.name == name).read_back
    return State.of(answer.partition("# node core\n")[2], ())


@pytest.mark.parametrize("name", FAR)
def test_a_path_of_another_distance_or_loss_is_seen(name: str) -> None:
    def problems_of(state: State) -> list[str]:
        core = EOIP.condition(name).nodes["core"]
        return list(compare(core, state, ports=(), deployed=UNTOUCHED, listing=[], bpf_mode="tc"))

    assert problems_of(core_state(name)) == []
    for other in set(FAR) - {name}:
        assert problems_of(core_state(other)), f"{other} passes for {name}"
