# ruff: noqa: E501  (exports have long lines)
"""The marks of one packet: which rule of mangle gives them, and what the rules behind make of it."""

from __future__ import annotations

from typing import Any

import pytest

from rosexplain import firewall, trace
from tests.course.models.both import both
from tests.support import pace
from tests.theory.packet_path.asked import ask
from tests.theory.packet_path.explain.one_asked import HOME, line_of, walked

MOST_TURNS = 80
"""Millions (tests/support/pace.py): one second, half of what a reader waits for an answer."""

OUT = "in=bridge src=192.168.88.5:50000 dst=1.1.1.1:443/tcp "
BACK = "in=ether1 src=1.1.1.1:443 dst=192.168.88.5:50000/tcp "


def marking(mangle: str, rules: str) -> str:
    """The home router with rules of mangle, and rules in front of its filter's.

    Line 20 is the first of those rules.
    """
    first = "/ip firewall filter\n"
    assert HOME.count(first) == 1
    return HOME.replace(first, f"{first}{rules}") + f"/ip firewall mangle\n{mangle}"


def verdicts(packet: dict[str, Any], action: str) -> list[str]:
    return [step["verdict"] for step in packet["steps"] if step["action"] == action]


DROP = "add action=drop chain=forward packet-mark=video\n"
MARK = "add action=mark-packet chain=prerouting dst-port={} new-packet-mark=video protocol=tcp {}\n"


@pytest.mark.parametrize(
    ("mangle", "ended"),
    [
        (MARK.format(443, ""), "drop"),
        (MARK.format(443, "passthrough=no"), "drop"),
        (MARK.format(80, ""), "accept"),
        (MARK.format(443, "dscp=46"), "accept, unless line 20 drops it"),
        (MARK.format(443, "").replace("prerouting", "forward"), "drop"),
        (MARK.format(443, "").replace("prerouting", "postrouting"), "accept"),
        (MARK.format(443, "").replace("prerouting", "input"), "accept"),
        # A rule behind takes it back, or is not asked.
        (MARK.format(443, "") + "add action=mark-packet chain=forward new-packet-mark=no-mark\n", "accept"),
        ("add action=accept chain=prerouting\n" + MARK.format(443, ""), "accept"),
        ("add action=change-dscp chain=prerouting new-dscp=1 passthrough=no\n" + MARK.format(443, ""), "accept"),
        ("add action=change-dscp chain=prerouting new-dscp=1\n" + MARK.format(443, ""), "drop"),
        # By a jump, and from one mark to the next.
        ("add action=jump chain=prerouting jump-target=web\n" + MARK.format(443, "").replace("chain=prerouting", "chain=web"), "drop"),
        ("add action=jump chain=prerouting jump-target=web\nadd action=return chain=web\n" + MARK.format(443, "").replace("chain=prerouting", "chain=web"), "accept"),
        (MARK.format(443, "").replace("=video", "=a") + MARK.format(443, "packet-mark=a"), "drop"),
        (MARK.format(443, "").replace("=video", "=a") + MARK.format(443, "packet-mark=no-mark"), "accept"),
    ],
)  # fmt: skip
def test_a_packet_s_mark_is_followed_through_mangle(mangle: str, ended: str) -> None:
    text = marking(mangle, DROP)
    assert line_of(text, "drop chain=forward packet-mark") == 20
    packet = walked(text, OUT + "new")
    assert packet["ended"] == ended
    assert verdicts(packet, "drop")[-1 if ended == "drop" else 0] == {"drop": "yes", "accept": "no"}.get(ended, "perhaps")  # fmt: skip


def test_the_line_that_marks_is_said_or_else_the_command_that_tells() -> None:
    text = marking(MARK.format(443, ""), DROP)
    line = line_of(text, "mark-packet")
    assert any(
        f"packet-mark=video (line {line})" in said for said in walked(text, OUT + "new")["says"]
    )
    text = marking(MARK.format(443, "dscp=46"), DROP)
    assert walked(text, OUT + "new")["says"][0].endswith(
        "/ip/firewall/mangle/print stats where new-packet-mark=video."
    )
    text = marking(MARK.format(80, ""), DROP)
    assert not [said for said in walked(text, OUT + "new")["says"] if "video" in said]


CONNECTION = "add action=mark-connection chain=prerouting connection-mark=no-mark {} new-connection-mark=lan passthrough=yes\n"
LOG = "add action=log chain=forward connection-mark=lan\n"


@pytest.mark.parametrize(
    ("mangle", "verdict"),
    [
        # From the inside alone, so the packets back have it too.
        (CONNECTION.format("in-interface-list=LAN"), "yes"),
        (CONNECTION.format("connection-state=new in-interface-list=LAN"), "yes"),
        (CONNECTION.format("connection-state=new in-interface-list=WAN"), "no"),
        (CONNECTION.format("in-interface-list=LAN dst-port=443 protocol=tcp"), "yes"),
        (CONNECTION.format("in-interface-list=LAN dst-port=80 protocol=tcp"), "no"),
        (CONNECTION.format("in-interface-list=LAN dst-address-list=far"), "perhaps"),
        (CONNECTION.format("out-interface-list=WAN").replace("prerouting", "postrouting"), "yes"),
    ],
)  # fmt: skip
def test_a_connection_keeps_the_mark_of_its_first_packet(mangle: str, verdict: str) -> None:
    far = "/ip firewall address-list\nadd address=far.example list=far\n"
    text = marking(mangle, LOG) + (far if "=far" in mangle else "")
    for way in (OUT, BACK):
        packet = walked(text, way + "established")
        assert verdicts(packet, "log")[0] == verdict
        said = [each for each in packet["says"] if "connection-mark" in each]
        line = line_of(text, "mark-connection")
        if verdict == "no":
            assert not said
        else:
            sure = "" if verdict == "yes" else "perhaps "
            assert said[0].startswith(f"It {sure}has connection-mark=lan (line {line})")
        if verdict == "perhaps":
            assert said[0].endswith("/ip/firewall/connection/print where connection-mark=lan.")


def test_a_connection_that_may_begin_from_outside_may_have_its_mark() -> None:
    """The accept rule lets in what mangle marks, so that a connection may begin on either side."""
    mangle = CONNECTION.format("connection-state=new in-interface-list=WAN")
    text = marking(mangle, LOG.replace("log", "accept"))
    assert verdicts(walked(text, BACK + "established"), "accept")[0] == "perhaps"


def test_a_first_packet_has_no_mark_of_a_connection_before_mangle_gives_one() -> None:
    text = marking(CONNECTION.format("").replace("prerouting", "postrouting"), LOG)
    assert verdicts(walked(text, OUT + "new"), "log")[0] == "no"
    assert verdicts(walked(text, OUT + "established"), "log")[0] == "yes"


def test_marked_connections_are_kept_from_fasttrack_or_are_not() -> None:
    """The two mangle rules of a balancer: FastTrack's rule asks for connections without a mark."""
    text = marking(CONNECTION.format("in-interface-list=LAN dst-port=443 protocol=tcp"), "")
    text = text.replace("fasttrack-connection", "fasttrack-connection connection-mark=no-mark")
    assert walked(text, OUT + "established")["fasttrack"] == "no"
    assert walked(text, BACK + "established")["fasttrack"] == "no"
    other = OUT.replace(":443", ":80") + "established"
    assert walked(text, other)["fasttrack"] == "yes"


def test_packets_that_answer_are_fast_tracked_by_mangle_unless_their_mark_ends_their_way() -> None:
    """FastTrack's rule is for what comes from outside, and no rule of filter asks for a mark."""
    mangle = CONNECTION.format("connection-state=new {}") + (
        "add action=accept chain=forward connection-mark=lan\n"
        "add action=fasttrack-connection chain=forward in-interface-list=WAN\n"
    )
    for where, answer in (("in-interface=wg-guests", "yes"), ("in-interface-list=LAN", "no")):
        text = marking(mangle.format(where), "")
        text = text.replace("fasttrack-connection chain=forward connection", "log chain=forward connection")  # fmt: skip
        assert walked(text, OUT + "established")["fasttrack"] == answer


def test_nat_asks_for_marks_too() -> None:
    rule = "/ip firewall nat\nadd action=dst-nat chain=dstnat connection-mark=lan to-addresses=192.168.88.10\n"
    for port, to in ((443, True), (80, False)):
        text = marking(CONNECTION.format(f"dst-port={port} protocol=tcp"), "") + rule
        says = walked(text, OUT + "new")["says"]
        assert any("translated to 192.168.88.10" in said for said in says) == to


def test_the_router_s_own_packets_are_marked_in_output() -> None:
    rule = "add action=drop chain=output routing-mark=isp2\n"
    mark = "add action=mark-routing chain={} dst-port=53 new-routing-mark=isp2 protocol=udp\n"
    asked = "chain=output dst=1.1.1.1:53/udp new"
    assert walked(marking(mark.format("output"), rule), asked)["ended"] == "drop"
    assert walked(marking(mark.format("prerouting"), rule), asked)["ended"] == "accept"


def test_a_routing_mark_chooses_the_way_out_and_that_is_said() -> None:
    mark = "add action=mark-routing chain=prerouting {} new-routing-mark=isp2 passthrough=no\n"
    line = line_of(marking(mark, ""), "mark-routing")
    for words, may in (("dst-port=443 protocol=tcp", False), ("dscp=1", True)):
        says = walked(marking(mark.format(words), ""), OUT + "new")["says"]
        assert f"isp2 (line {line})" in says[0]
        assert ("perhaps" in says[0]) == may
    for words, out in (
        ("dst-port=80 protocol=tcp", ""),
        ("dst-port=443 protocol=tcp", " out=ether1"),
    ):
        says = walked(marking(mark.format(words), ""), OUT + "new" + out)["says"]
        assert not [said for said in says if "isp2" in said]


def test_a_command_is_spelled_as_this_routeros_takes_it() -> None:
    text = marking(
        MARK.format(443, "dscp=46").replace("=video", '="my video"'),
        DROP.replace("=video", '="my video"'),
    )
    text = text.replace("7.20.8", "6.49.10")
    assert "by RouterOS 6.49.10" in text
    assert walked(text, OUT + "new")["says"][0].endswith(
        '/ip firewall mangle print stats where new-packet-mark="my video".'
    )


def test_ipv6_has_marks_of_its_own() -> None:
    text = HOME + (
        "/ipv6 firewall mangle\nadd action=mark-packet chain=prerouting new-packet-mark=video\n"
        "/ipv6 firewall filter\nadd action=drop chain=forward packet-mark=video\n"
    )
    assert walked(text, "in=bridge dst=[2001:2::1]:443/tcp new")["ended"] == "drop"
    assert walked(text, OUT + "new")["ended"] == "accept"


def test_more_marks_than_are_followed_leave_it_open() -> None:
    loop = "add action=jump chain=prerouting jump-target=prerouting\n" + MARK.format(443, "")
    packet = walked(marking(loop, DROP), OUT + "new")
    assert packet["ended"].startswith("not known") or "unless line 20" in packet["ended"]


@pytest.mark.long
@pytest.mark.parametrize(
    "mark",
    [
        "connection-mark=no-mark src-address=10.0.{0}.0/24 new-connection-mark=c{0}",
        "dscp=1 new-connection-mark=c{1}",
        "dscp=1 new-connection-mark=c{0}",
    ],
)
def test_five_thousand_rules_about_marks_are_followed_soon(mark: str) -> None:
    mangle = "".join(
        f"add action=mark-connection chain=prerouting {mark.format(number, number % 40)}\n"
        for number in range(2500)
    )
    rules = "".join(
        f"add action=drop chain=forward connection-mark=c{number}\n" for number in range(2500)
    )
    net = ask(marking(mangle, rules)).net
    packet = firewall.parsed(OUT + "established")
    pace.assert_within(MOST_TURNS, lambda: trace.walked(net, packet.copied()))


@pytest.mark.long
def test_the_page_says_the_same() -> None:
    asked = [
        (marking(MARK.format(443, "dscp=46"), DROP), OUT + "new"),
        (marking(CONNECTION.format("in-interface-list=LAN"), LOG), BACK + "established"),
        (marking(CONNECTION.format("connection-state=new"), ""), OUT + "related"),
    ]
    answers = both("explain", [{"export": {"name": "x", "text": text}, "packet": packet}
                               for text, packet in asked])  # fmt: skip
    said = [str(answer["tables"]) for answer in answers]
    assert "perhaps" in said[0] and "packet-mark=video" in said[0]
    assert "It has connection-mark=lan" in said[1]
