"""What a PPPoE server's sessions send: routed by interfaces whose names no export shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from rosexplain.decide import Verdict
from tests.course.models.both import both
from tests.theory.packet_path.asked import HEAD, LAN_AND_WAN, MARK, ask, class_of, of, told
from tests.theory.packet_path.explain.one_asked import walked

SERVER = "/interface pppoe-server server\nadd disabled=no interface=ether3 service-name=home\n"
ROUTER = HEAD + LAN_AND_WAN + SERVER
NAME = "pppoe-server"
FILTER = "/ip firewall filter\n"
LISTED = "/ppp profile\nadd interface-list=LAN name=subscribers\n"
BOUND = "/interface pppoe-server\nadd name=pppoe-in1 user=a\n"
STATS = "/interface/print stats-detail where type=pppoe-in"
BRIDGE = """/interface bridge
add name=bridge1
/interface bridge port
add bridge=bridge1 interface=ether4
add bridge=bridge1 interface=ether5
/interface bridge filter
add action=drop chain=forward mac-protocol=ip
"""


def sessions(text: str) -> Verdict:
    return of(ask(text), NAME)


def fasttracked(words: str, more: str = "") -> Verdict:
    """The class where FastTrack's rule, for both directions, has further words."""
    rule = MARK.replace("chain=forward", f"chain=forward {words}")
    return sessions(ROUTER + more + FILTER + rule)


def test_a_server_that_is_on_makes_the_class() -> None:
    """Once, however many there are."""
    made = sessions(ROUTER + SERVER.replace("ether3", "ether4"))
    assert made.traffic.title == "PPPoE sessions to WAN, established TCP and UDP"
    assert (made.reasons[-1].fact, made.reasons[-1].rule) == ("fast-path-ports", NAME)
    assert [line.number for line in made.reasons[-1].lines] == [10, 12]
    nat = "/ip firewall nat\nadd action=masquerade chain=srcnat out-interface-list=WAN\n"
    assert sessions(ROUTER + nat).traffic.title.endswith("UDP, translated")
    for text in (ROUTER.replace("disabled=no", "disabled=yes"), HEAD + LAN_AND_WAN + BOUND):
        assert NAME not in [each.traffic.name for each in ask(text).classes]


def test_without_a_firewall_no_export_promises_that_nothing_comes_with_a_session() -> None:
    made = sessions(ROUTER)
    assert (made.answer, made.ways) == ("unknown", ["fast-path"])
    assert made.asks == ["/ip/settings/print", STATS]


def test_what_the_router_says_of_its_fast_path_settles_it(tmp_path: Path) -> None:
    said = "> /ip/settings/print\n  ipv4-fast-path-active: {}\n"
    for active, answer in (("yes", "yes"), ("no", "unknown")):
        found = class_of(told(tmp_path, ROUTER, printed=said.format(active)), NAME)
        assert found["answer"] == answer


def test_a_server_of_which_no_line_says_that_it_is_on() -> None:
    made = sessions(ROUTER.replace("disabled=no ", "") + FILTER + MARK)
    assert (made.answer, made.ways) == ("unknown", ["fasttrack"])
    assert made.asks == ["/interface/pppoe-server/server/print"]


@pytest.mark.parametrize(
    ("words", "more", "answer", "ways"),
    [
        ("", "", "yes", ["fasttrack"]),
        ("in-interface=all-ppp", "", "yes", ["fasttrack"]),
        ("out-interface=all-ppp", "", "yes", ["fasttrack"]),
        ("in-interface-list=dynamic", "", "yes", ["fasttrack"]),
        ("in-interface-list=static out-interface-list=static", "", "no", ["slow"]),
        # The interface below a session is not the session's.
        ("in-interface=ether3", "", "no", ["slow"]),
        # One user's, by the name that it has while it is there, or by one that a line gives it.
        ("in-interface=<pppoe-a>", "", "depends", ["fasttrack", "slow"]),
        ("in-interface=pppoe-in1", BOUND, "depends", ["fasttrack", "slow"]),
        # Which address a session gets the export does not say.
        ("src-address=10.0.0.0/8", "", "depends", ["fasttrack", "slow"]),
        # A profile puts them into a list, which is not that of the WAN.
        ("in-interface-list=LAN", LISTED, "depends", ["fasttrack", "slow"]),
        ("in-interface-list=!WAN", LISTED, "yes", ["fasttrack"]),
        ("in-interface-list=LAN", "/interface list\nadd name=LAN\n", "no", ["slow"]),
        ("in-interface-list=all-of", "/interface list\nadd include=dynamic name=all-of\n",
         "depends", ["fasttrack", "slow"]),
    ],
)  # fmt: skip
def test_the_firewall_decides_as_of_the_lan(
    words: str, more: str, answer: str, ways: list[str]
) -> None:
    made = fasttracked(words, more)
    assert (made.answer, made.ways) == (answer, ways)
    asks = [STATS in made.asks, "/interface/list/member/print where dynamic" in made.asks]
    assert asks == [answer == "depends", answer == "depends" and more == LISTED]


def test_a_rule_closes_the_fast_path_for_sessions_too() -> None:
    made = sessions(ROUTER + FILTER + "add action=drop chain=input\n")
    assert (made.answer, made.ways, made.asks) == ("no", ["slow"], [])
    refused = FILTER + "add action=drop chain=forward in-interface=all-ppp\n"
    reason = sessions(ROUTER + refused).reasons[-1]
    assert (reason.fact, reason.lines[0].number) == ("fast-path-firewall", 12)


@pytest.mark.parametrize(("second", "ways"), [("", ["slow"]), ("ether9", ["fast-path", "slow"])])
def test_a_closed_bridge_below_a_server_closes_the_way_of_its_sessions(
    second: str, ways: list[str]
) -> None:
    server = SERVER.replace("ether3", "bridge1")
    other = SERVER.replace("ether3", second) if second else ""
    made = sessions(HEAD + LAN_AND_WAN + server + other + BRIDGE)
    assert made.ways == ways
    assert "fast-path-over-bridge" in [reason.fact for reason in made.reasons]
    opened = BRIDGE.replace("add action=drop", "add action=drop disabled=yes")
    assert sessions(HEAD + LAN_AND_WAN + server + other + opened).ways == ["fast-path"]


def test_a_tunnel_below_a_server_needs_a_fast_path_of_its_own() -> None:
    tunnel = "/interface eoip\nadd allow-fast-path=no name=eoip1 remote-address=192.0.2.2\n"
    text = ROUTER.replace("ether3", "eoip1") + tunnel + FILTER + MARK
    assert sessions(text).ways == ["fasttrack", "slow"]
    assert sessions(text.replace("allow-fast-path=no ", "")).ways == ["fasttrack"]


def test_no_switch_chip_ends_a_session() -> None:
    text = ROUTER.replace("RB5009UG+S+", "CRS326-24G-2S+")
    text += "/interface ethernet switch\nset 0 l3-hw-offloading=yes\n"
    assert of(ask(text), "established").ways == ["chip"]
    made = sessions(text + BOUND)
    assert made.ways == ["fast-path"]
    assert "l3hw-tunnels" in [reason.fact for reason in made.reasons]


def test_a_bound_session_is_a_named_interface() -> None:
    rule = "add action=drop chain=forward in-interface={}\n"
    asked = "in={} src=10.0.0.9 dst=1.1.1.1:443/tcp new"
    for name, by, ended in (
        ("pppoe-in1", "pppoe-in1", "drop"),
        ("pppoe-in1", "all-ppp", "drop"),
        ("pppoe-in1", "<pppoe-b>", "accept"),
        ("<pppoe-a>", "<pppoe-a>", "drop"),
        ("<pppoe-a>", "all-ppp", "drop"),
        ("<pppoe-a>", "<pppoe-b>", "accept"),
        ("<pppoe-a>", "pppoe-in1", "accept"),
    ):
        text = ROUTER + BOUND + FILTER + rule.format(by)
        assert walked(text, asked.format(name))["ended"] == ended, (name, by)
    with pytest.raises(ValueError, match="no interface '<pppoe-a>'"):
        walked(HEAD + LAN_AND_WAN, asked.format("<pppoe-a>"))


@pytest.mark.long
def test_the_page_says_the_same() -> None:
    listed = LISTED + FILTER + MARK.replace("chain", "in-interface-list=LAN chain")
    every = [ROUTER, ROUTER + listed]
    answers = both("explain", [{"export": {"name": "x", "text": text}} for text in every])
    for answer in answers:
        assert NAME in [row[0] for row in answer["values"]["answers"]]
