"""Packets that IPv4's model is not asked about: with MPLS labels, in a PPP server's sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.course.models.both import both
from tests.theory.packet_path.asked import HEAD, LAN_AND_WAN, ask, class_of, of, run, told

LDP = "/mpls ldp interface\nadd interface=ether2\nadd interface=ether3\n"
CLOSED = (
    "/ip firewall filter\nadd action=drop chain=input\n/queue simple\nadd name=q target=ether2\n"
)
NOT_ALLOWED = "/mpls settings\nset allow-fast-path=no\n"
SERVER = "/interface l2tp-server server\nset enabled=yes{}\n"
FAST = " allow-fast-path=yes"


def names(text: str) -> list[str]:
    return [each.traffic.name for each in ask(text).classes]


def test_what_has_a_label_is_fast_whatever_closes_ipv4_s_fast_path() -> None:
    text = HEAD + LAN_AND_WAN + LDP
    for more in ("", CLOSED):
        decided = of(ask(text + more), "mpls")
        assert (decided.answer, decided.ways) == ("yes", ["fast-path"])
        assert [r.fact for r in decided.reasons][-1] == "mpls-no-firewall"
        assert [line.number for line in decided.reasons[0].lines] == [10, 11]
    assert of(ask(text + CLOSED), "established").answer == "no"
    edge = of(ask(text), "mpls-edge")
    assert (edge.answer, edge.ways) == ("no", ["slow"])


def test_no_label_no_class() -> None:
    assert "mpls" not in names(HEAD + LAN_AND_WAN)
    off = LDP.replace("add ", "add disabled=yes ")
    assert not {"mpls", "mpls-edge"} & set(names(HEAD + LAN_AND_WAN + off))
    # What forbids the fast path of MPLS makes no MPLS.
    assert "mpls" not in names(HEAD + LAN_AND_WAN + NOT_ALLOWED)


@pytest.mark.parametrize("menu", ["/mpls settings", "/mpls"])
def test_mpls_may_be_forbidden_to_be_fast_and_the_change_is_offered(
    menu: str, tmp_path: Path
) -> None:
    text = HEAD + LAN_AND_WAN + LDP + NOT_ALLOWED.replace("/mpls settings", menu)
    mpls = class_of(told(tmp_path, text), "mpls")
    assert (mpls["answer"], mpls["paths"]) == ("no", ["slow"])
    assert [line["line"] for line in mpls["reasons"][0]["lines"]] == [13]
    (change,) = mpls["changes"]
    assert change["commands"] == [menu.replace(" ", "/") + "/set allow-fast-path=yes"]
    assert (change["then"]["answer"], change["then"]["paths"]) == ("yes", ["fast-path"])


def test_a_chr_s_adapters_decide_about_labels_too() -> None:
    text = HEAD.replace("RB5009UG+S+", "CHR") + LAN_AND_WAN + LDP
    decided = of(ask(text), "mpls")
    assert (decided.answer, decided.ways) == ("unknown", ["fast-path"])
    assert "/interface/ethernet/print detail" in decided.asks
    old = of(ask(text.replace("7.20.8", "6.49.10")), "mpls")
    assert (old.answer, old.ways) == ("no", ["slow"])
    nothing = of(ask("# 2026-11-20 10:00:00 by RouterOS 7.20.8\n" + LDP), "mpls")
    assert (nothing.answer, nothing.asks) == ("unknown", ["/system/resource/print"])


@pytest.mark.parametrize(
    ("words", "answer", "ways", "fact"),
    [
        ("", "no", ["slow"], "l2tp-server-fast-path-default"),
        (" allow-fast-path=no use-ipsec=required", "no", ["slow"], "fast-path-tunnels"),
        (FAST, "yes", ["fast-path"], "fast-path-tunnels"),
        (FAST + " use-ipsec=no", "yes", ["fast-path"], "fast-path-tunnels"),
        (FAST + " use-ipsec=yes", "depends", ["fast-path", "slow"], "l2tp-server-use-ipsec"),
        (FAST + " use-ipsec=required", "no", ["slow"], "l2tp-server-use-ipsec"),
        (FAST + " use-ipsec=require", "no", ["slow"], "l2tp-server-use-ipsec"),
    ],
)
def test_the_sessions_of_an_l2tp_server(
    words: str, answer: str, ways: list[str], fact: str
) -> None:
    decided = of(ask(HEAD + LAN_AND_WAN + SERVER.format(words)), "l2tp-server")
    assert (decided.answer, decided.ways) == (answer, ways)
    assert fact in [reason.fact for reason in decided.reasons]
    assert [line.number for line in decided.reasons[0].lines] == [10]


@pytest.mark.parametrize("kind", ["pptp", "sstp", "ovpn"])
def test_the_sessions_of_servers_of_which_no_source_says_that_they_are_fast(kind: str) -> None:
    head = HEAD.replace("7.20.8", "7.16.2") + LAN_AND_WAN
    server = f"/interface {kind}-server server\nset enabled={{}}\n"
    decided = of(ask(head + server.format("yes")), f"{kind}-server")
    assert (decided.answer, decided.ways) == ("unknown", ["slow"])
    assert decided.asks == [f"/interface/print stats-detail where type={kind}-in"]
    assert f"{kind}-server" not in names(head + server.format("no"))


def test_several_openvpn_servers_make_one_class_since_7_17() -> None:
    servers = "/interface ovpn-server server\nadd disabled=no name=a\nadd disabled=no name=b\n"
    decided = of(ask(HEAD + LAN_AND_WAN + servers), "ovpn-server")
    assert [line.number for line in decided.reasons[0].lines] == [10, 11]


def test_sessions_count_in_the_exit_code(tmp_path: Path) -> None:
    text = HEAD + "/ip settings\nset rp-filter=no\n"
    assert run(tmp_path, text).exit_code == 0
    assert run(tmp_path, text + SERVER.format("")).exit_code == 1
    assert run(tmp_path, text + SERVER.format(FAST)).exit_code == 0


@pytest.mark.long
def test_the_page_says_the_same() -> None:
    chr_ = HEAD.replace("RB5009UG+S+", "CHR")
    every = [HEAD + LAN_AND_WAN + more for more in (LDP, LDP + NOT_ALLOWED, SERVER.format(FAST))]
    every += [chr_ + LDP, HEAD + SERVER.format(FAST + " use-ipsec=yes")]
    answers = both("explain", [{"export": {"name": "x", "text": text}} for text in every])
    classes = [[row[0] for row in answer["values"]["answers"]] for answer in answers]
    assert all("mpls" in names for names in classes[:2] + classes[3:4])
    assert all("l2tp-server" in names for names in classes[2:3] + classes[4:])
