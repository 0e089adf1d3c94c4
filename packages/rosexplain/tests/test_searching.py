"""Rules that cost the CPU time for each packet: whose first packets are enough, and whose not."""

from __future__ import annotations

import pytest
from asked import LAN_AND_WAN, ask

from rosexplain.report import Answer

FILMS = f"""{LAN_AND_WAN}/ip firewall filter
add action=add-dst-to-address-list address-list=a chain=forward content=films.example
"""
GAMES = "add action=add-dst-to-address-list address-list=b chain=forward content=games\n"


@pytest.mark.parametrize(
    ("old", "new", "more", "searched"),
    [
        ("", "", "", True),
        ("content", "protocol=tcp dst-port=80,443 content", "", True),
        ("content", "protocol=udp dst-port=53 content", "", False),
        ("content", "protocol=tcp dst-port=53 content", "", False),
        ("chain=forward", "chain=output", "", False),
        ("films.example", '"530 Login incorrect"', "", False),
        ("films.example", "mining.submit", "add action=drop chain=forward dst-address-list=a\n",
         False),
        ("chain=forward", "chain=out", "add action=jump chain=output jump-target=out\n", False),
        ("chain=forward", "chain=in", "add action=jump chain=forward jump-target=in\n", True),
        ("", "", "/ip firewall connection tracking\nset enabled=no\n", False),
        ("", "", "/ip firewall raw\nadd action=notrack chain=prerouting\n", False),
    ],
)  # fmt: skip
def test_a_rule_needs_the_beginning_of_forwarded_connections_that_are_tracked(
    old: str, new: str, more: str, searched: bool
) -> None:
    met = ask(FILMS.replace(old, new, 1) + more).met
    assert ("content-of-each-packet" in met) == searched


@pytest.mark.parametrize(("row", "commands"), [("", 1), (" disabled=yes", 3)])
def test_one_command_for_all_leaves_a_disabled_rule_as_it_is(row: str, commands: int) -> None:
    guard = GAMES.replace("games", "secret" + row) if row else ""
    notes = Answer(ask(FILMS + GAMES + GAMES.replace("games", "toys") + guard)).plain()["notes"]
    own = [note["commands"] for note in notes if note["rule"] == "content-of-each-packet"]
    assert [len(texts) for texts in own] == [commands]


TWO = f"""{LAN_AND_WAN}/ip address
add address=198.18.3.1/24 interface=ether3
/ip firewall mangle
add action=mark-connection chain=forward in-interface=ether2 new-connection-mark=a
add action=mark-packet chain=forward connection-mark=a new-packet-mark=a
add action=mark-connection chain=forward in-interface=ether3 new-connection-mark=b
add action=mark-packet chain=forward connection-mark=b new-packet-mark=b
"""


@pytest.mark.parametrize(
    ("second", "once"),
    [
        ("in-interface=ether3", True),
        ("in-interface=ether1", False),  # the replies of the same connections
        ("in-interface-list=WAN", False),
        ("out-interface=ether2", False),
        ("in-interface=!ether2", False),
        ("in-interface=all-ppp", False),
        ("disabled=yes in-interface=ether2", False),
    ],
)
def test_a_connection_is_marked_once_where_no_other_rule_marks_its_replies(
    second: str, once: bool
) -> None:
    met = ask(TWO.replace("in-interface=ether3 new", second + " new")).met
    assert ("connection-mark-once" in met) == once


QUEUES = f"""{LAN_AND_WAN}/queue simple
add name=all target=198.18.1.0/24
"""


@pytest.mark.parametrize(
    ("more", "limitless"),
    [
        ("", True),
        ("/ppp profile\nadd name=gold parent-queue=all rate-limit=10M/10M\n", False),
        ("/ppp profile\nadd name=gold rate-limit=\"\"\n", True),
        ("/ppp aaa\nset use-radius=yes\n", False),
        ("/ip dhcp-server lease\nadd address=198.18.1.9 rate-limit=1M/1M\n", False),
        ("/queue simple\nadd disabled=yes max-limit=1M/1M name=kid parent=all target=198.18.1.9\n",
         False),
        ("/tool graphing queue\nadd\n", False),
        ("/queue type\nset default-small kind=pcq pcq-rate=2M\n", False),
        ("/queue type\nadd kind=pcq name=down pcq-rate=2M\n", True),
        ("/system scheduler\nadd interval=1d name=day on-event=\"/queue simple set all "
         "max-limit=5M/5M\"\n", False),
    ],
)  # fmt: skip
def test_a_queue_limits_nobody_where_nothing_else_gives_it_a_limit(
    more: str, limitless: bool
) -> None:
    assert ("queue-limitless" in ask(QUEUES + more).met) == limitless
