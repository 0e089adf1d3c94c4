"""The marks of a class of traffic: FastTrack's rule asks for them, and mangle gives them."""

from __future__ import annotations

from typing import Any

import pytest

from rosexplain.report import Answer
from tests.support import pace
from tests.theory.packet_path.asked import ask
from tests.theory.packet_path.explain.one_asked import HOME, line_of

FASTTRACK = "add action=fasttrack-connection chain=forward "
GIVE = "add action=mark-connection chain=forward new-connection-mark=seen "
WAN = "in-interface=ether1"

MOST_TURNS = 120
"""Millions (tests/support/pace.py): of 4 000 rules, three quarters of what a reader waits for."""


def established(mangle: str, asks: str = "connection-mark=no-mark") -> tuple[str, dict[str, Any]]:
    """The example home, whose FastTrack rule asks for a mark, and its class of TCP and UDP."""
    assert HOME.count(FASTTRACK) == 1
    text = HOME.replace(FASTTRACK, f"{FASTTRACK}{asks} ") + f"/ip firewall mangle\n{mangle}\n"
    every = Answer(ask(text)).plain()["classes"]
    return text, next(each for each in every if each["class"] == "established")


@pytest.mark.parametrize(
    ("mangle", "answer", "paths"),
    [
        # Nothing of the class gets the mark.
        (GIVE + "in-interface=wg-guests", "yes", ["fasttrack"]),
        (GIVE + "src-address=10.0.0.0/8", "yes", ["fasttrack"]),
        (GIVE + "disabled=yes", "yes", ["fasttrack"]),
        ("add action=accept chain=forward\n" + GIVE, "yes", ["fasttrack"]),
        # What the first packet gets, all others of the connection have, of whichever direction.
        (GIVE, "no", ["slow"]),
        (GIVE + "connection-state=new", "no", ["slow"]),
        (GIVE + "connection-state=new in-interface=bridge", "no", ["slow"]),
        # A packet's mark is its own: the connection has none.
        (GIVE.replace("connection", "packet"), "yes", ["fasttrack"]),
        # One host of them.
        (GIVE + "src-address=192.168.88.10", "depends", ["fasttrack", "slow"]),
        (GIVE + "dst-port=443 protocol=tcp", "depends", ["fasttrack", "slow"]),
    ],
)
def test_a_class_has_the_marks_that_mangle_gives_it(
    mangle: str, answer: str, paths: list[str]
) -> None:
    _, found = established(mangle)
    assert (found["answer"], found["paths"]) == (answer, paths)


def test_the_rule_that_does_not_match_is_named_and_the_one_that_marks() -> None:
    """Not the accept behind it, which a packet meets only since the rule did not match."""
    text, found = established(GIVE)
    first = found["reasons"][0]
    assert first["why"] == "the rule matches only connection-mark=no-mark"
    lines = [each["line"] for each in first["lines"]]
    assert lines == [line_of(text, FASTTRACK), line_of(text, GIVE)]
    assert not [change for change in found["changes"] if "destination" in str(change)]


def test_a_mark_that_is_asked_for_and_given_is_fast_tracked() -> None:
    assert established(GIVE, "connection-mark=seen")[1]["answer"] == "yes"
    assert established(GIVE, "connection-mark=other")[1]["answer"] == "no"
    # No connection of the class begins at the WAN.
    begun_there = GIVE + f"{WAN} connection-state=new"
    assert established(begun_there, "connection-mark=seen")[1]["answer"] == "no"


def test_nothing_has_a_mark_when_it_comes_in() -> None:
    """Rules of raw are asked before those of mangle."""
    raw = "\n/ip firewall raw\nadd action=notrack chain=prerouting connection-mark=seen"
    assert established(GIVE + raw, "connection-mark=seen")[1]["answer"] == "yes"
    # Nor where no rule of filter asks for one.
    assert established(GIVE + raw, "")[1]["answer"] == "yes"


MANGLED = "add action=fasttrack-connection chain=forward\n"


@pytest.mark.parametrize("where", ["in-interface=wg-guests", ""])
@pytest.mark.parametrize("ends", ["accept", "mark-packet new-packet-mark=p passthrough=no", "drop"])
def test_a_mark_that_ends_the_way_through_mangle_decides_too(where: str, ends: str) -> None:
    """No rule of filter asks for it, and FastTrack's, behind, does not either."""
    give = f"add action=mark-connection chain=prerouting new-connection-mark=seen {where}\n"
    mangle = give + f"add action={ends} chain=forward connection-mark=seen\n" + MANGLED
    text = HOME.replace(FASTTRACK, "add action=log chain=forward ")
    found = ask(text + f"/ip firewall mangle\n{mangle}")
    (paths,) = [each.ways for each in found.classes if each.traffic.name == "established"]
    refused = ["dropped"] if ends == "drop" else ["slow"]
    assert paths == (["fasttrack"] if where else refused)


def test_a_mark_that_decides_nowhere_is_not_followed() -> None:
    """The marks of a queue tree: no rule of mangle refuses packets or FastTracks them."""
    rule = "add action=mark-packet chain=forward connection-mark=a new-packet-mark=p passthrough=no"
    for more, followed in (("", False), (MANGLED, True)):
        lists = ask(HOME + f"/ip firewall mangle\n{rule}\n{more}").net.firewall_of(4)
        assert (lists.marks_decide, bool(lists.asking)) == (followed, True)


@pytest.mark.long
@pytest.mark.parametrize(
    "rule",
    [
        GIVE + "dst-port={0} new-connection-mark=m{0} protocol=tcp",
        GIVE + "dscp={1} new-connection-mark=m{2}",
    ],
)
def test_thousands_of_marks_are_followed_at_once_or_left_open(rule: str) -> None:
    mangle = "\n".join(rule.format(n, n % 64, n % 6) for n in range(1, 4001))
    assert established(mangle)[1]["answer"] == "depends"
    pace.assert_within(MOST_TURNS, lambda: established(mangle))
