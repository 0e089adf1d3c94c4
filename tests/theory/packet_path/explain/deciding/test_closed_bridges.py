# ruff: noqa: E501  (exports have long lines)
"""What a closed bridge closes: for what it forwards, what comes in by it, what leaves by it."""

from __future__ import annotations

import pytest

from ppslab.theory import manual
from tests.theory.packet_path.asked import ask, lines, of, said
from tests.theory.packet_path.explain.deciding.closed import (
    ACCEPT,
    BRIDGE_RULE,
    FAST,
    FASTTRACK,
    FILTERING,
    IP_FIREWALL,
    MARK,
    NO_FAST_PATH,
    OTHER,
    SLOW,
    SNOOPING,
    by,
    home,
)


@pytest.mark.parametrize(
    ("version", "routed", "marked"),
    [("6.48.6", SLOW, SLOW), ("7.1.5", SLOW, SLOW), ("7.2", FAST, FASTTRACK), ("7.20.8", FAST, FASTTRACK)],
)  # fmt: skip
def test_vlan_filtering_closes_a_bridge_before_7_2_for_what_is_routed_too(
    version: str, routed: tuple[str, list[str]], marked: tuple[str, list[str]]
) -> None:
    assert said(home(FILTERING, version)) == routed
    assert said(home(FILTERING + MARK + ACCEPT, version)) == marked
    decided = of(ask(home(FILTERING + MARK + ACCEPT, version)), "established")
    closed = ("lan-vlan-filtering", "fasttrack-bridge") in by(decided)
    assert closed == (marked == SLOW)


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        (SNOOPING, "lan-snooping"),
        (IP_FIREWALL, "lan-ip-firewall"),
        (NO_FAST_PATH, "lan-allow"),
        (BRIDGE_RULE, "lan-rules"),
    ],
)
def test_what_comes_in_by_a_closed_bridge_never_gets_back_to_the_fast_path(
    more: str, rule: str
) -> None:
    assert said(home()) == FAST
    found = ask(home(more))
    for name in ("established", "new", "other", "bridged-bridge1"):
        assert of(found, name).ways == ["slow"]
    assert by(of(found, "established")) == [(rule, "fast-path-over-bridge")]
    assert manual.fact("fast-path-over-bridge").fact.basis == "inferred"
    assert said(home(more + MARK + ACCEPT)) == SLOW


def test_what_leaves_by_a_closed_bridge_has_come_in_on_the_fast_path() -> None:
    text = home(SNOOPING).replace("interface=bridge1\n/ip dhcp", "interface=ether7\n/ip dhcp")
    text = text.replace("client\nadd interface=ether1", "client\nadd interface=bridge1")
    decided = of(ask(text), "established")
    assert (decided.answer, decided.ways) == ("no", ["half"])
    assert by(decided)[-1] == ("lan-snooping", "fast-path-half")


def test_a_network_beside_a_closed_bridge_keeps_its_way() -> None:
    assert said(home(SNOOPING + OTHER)) == ("depends", ["fast-path", "slow"])
    assert said(home(SNOOPING + OTHER + MARK)) == ("depends", ["fasttrack", "slow"])
    assert said(home(SNOOPING + OTHER), "lan-to-lan") == ("depends", ["fast-path", "half", "slow"])


def test_only_the_bridge_that_is_crossed_is_named_and_counts() -> None:
    second = "/interface bridge\nadd dhcp-snooping=yes name=bridge2\n"
    assert said(home(second)) == FAST
    text = home(second + SNOOPING)
    assert lines(text)["lan-snooping"] == [text.count("\n")]


def test_what_a_pppoe_client_carries_crosses_the_lan_s_bridge() -> None:
    over = "/interface pppoe-client\nadd disabled=no interface=ether1 name=pppoe-out1 user=u\n/ip dhcp-client\nset 0 disabled=yes\n"
    text = home(SNOOPING + over + MARK)
    assert said(text, "carried-pppoe-out1") == said(text) == SLOW
