"""A resolver that strangers can ask: the commands that shut them out, and nobody else."""

from __future__ import annotations

import pytest
from asked import WAN, ask

from rosexplain import probes
from rosexplain.packet import parsed
from rosexplain.report import Answer

ROUTER = f"""{WAN}/ip address
add address=198.18.1.2/24 interface=ether1
add address=192.168.88.1/24 interface=ether2
/ip route
add gateway=198.18.1.1
/ip dns
set allow-remote-requests=yes
/ip firewall nat
add action=masquerade chain=srcnat out-interface-list=WAN
/ip firewall filter
"""
BASE = "add action=accept chain=input connection-state=established,related\n"
OFFICE = "add action=accept chain=input src-address=203.0.113.77 dst-port=53 protocol=udp\n"
STRANGER, HOST = "in=ether1 src=203.0.113.5", "in=ether2 src=192.168.88.9"


def commands_of(text: str) -> list[str]:
    notes = Answer(ask(text)).plain()["notes"]
    return [line for note in notes if note["rule"] == "open-resolver" for line in note["commands"]]


def passes(text: str, commands: list[str], packet: str) -> bool:
    explanation = ask(text + "\n".join(["", *commands]))
    return probes.passes(explanation, parsed(f"{packet} new chain=input")) == probes.ALL


@pytest.mark.parametrize(
    "rules",
    [
        BASE,
        BASE + "add action=accept chain=input protocol=udp dst-port=53\n",
        BASE + "add action=accept chain=input\nadd action=drop chain=input\n",
        BASE + "add action=jump chain=input jump-target=dns\nadd action=accept chain=dns\n",
        BASE + OFFICE,
        BASE + "".join([f"add action=accept chain=input protocol={one} dst-port=53\n"
                        for one in ("tcp", "udp")]),
    ],
)  # fmt: skip
def test_strangers_are_shut_out_and_the_others_are_not(rules: str) -> None:
    text = ROUTER + rules
    commands = commands_of(text)
    for protocol in ("udp", "tcp"):
        question = f"{STRANGER} dst=198.18.1.2:53/{protocol}"
        assert passes(text, [], f"{STRANGER} dst=198.18.1.2:53/udp")
        assert not passes(text, commands, question)
        assert passes(text, commands, f"{HOST} dst=192.168.88.1:53/{protocol}")
    if OFFICE in rules:
        assert passes(text, commands, "in=ether1 src=203.0.113.77 dst=198.18.1.2:53/udp")


LEASED = "/ip dhcp-server\nadd interface=ether1 name=d\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ROUTER + BASE + LEASED, id="the LAN asks by that interface too"),
        pytest.param(
            ROUTER + BASE + "add action=accept chain=input\n" + OFFICE, id="an office is named"
        ),
        pytest.param(
            ROUTER.replace("/ip firewall nat\nadd action=masquerade chain=srcnat "
                           "out-interface-list=WAN\n", ""),
            id="the first rule would close the fast path",
        ),
    ],
)  # fmt: skip
def test_no_commands_where_they_would_harm_somebody(text: str) -> None:
    plain = Answer(ask(text)).plain()
    assert commands_of(text) == []
    assert "open-resolver" in [row["rule"] for row in plain["noticed"]]


SWITCH = """/interface bridge
add name=bridge
/interface bridge port
add bridge=bridge interface=ether1
add bridge=bridge interface=ether2
/ip address
add address=198.18.1.2/24 interface=bridge
/ip route
add gateway=198.18.1.1
/ip dns
set allow-remote-requests=yes
"""
LEASING = "/ip dhcp-server\nadd interface=bridge name=d\n"
NAMES = "/ip dns static\nadd address=198.18.1.9 name=nas.lan\n"


@pytest.mark.parametrize(("more", "closed"), [("", True), (LEASING, False), (NAMES, False)])
def test_a_switch_answers_nobody_unless_hosts_may_use_it_as_their_resolver(
    more: str, closed: bool
) -> None:
    assert bool(commands_of(SWITCH + more)) is closed
    assert "open-resolver" not in ask(SWITCH + "\n".join(commands_of(SWITCH))).met
