# ruff: noqa: E501  (what a terminal prints has long lines)
"""What a router printed against the answer: it decides, or it contradicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.model.packet_path.asked import PROMPT, class_of
from tests.model.packet_path.exports.printing import (
    HOME,
    SLOW,
    STATS,
    answer,
    established,
    explained,
)

BRIDGE = """Flags: X - disabled, R - running
 0 R name="bridge1" mtu=auto actual-mtu=1458 protocol-mode=rstp fast-forward=yes
     igmp-snooping=no auto-mac=yes vlan-filtering=no
     dhcp-snooping={}
"""


@pytest.mark.parametrize(("value", "rule"), [("yes", "dhcp-snooping"), ("no", "")])
def test_a_bridge_as_it_is_printed(tmp_path: Path, value: str, rule: str) -> None:
    export = "# model = CHR\n/interface bridge\nadd name=bridge1\n"
    export += "/interface bridge port\nadd bridge=bridge1 interface=ether2\n"
    for verb in ("print", "print detail"):
        plain = answer(
            tmp_path, export, f"{PROMPT}/interface/bridge/{verb}\n{BRIDGE.format(value)}"
        )
        (bridged,) = [each for each in plain["classes"] if each["kind"] == "bridged"]
        assert rule in [reason["rule"] for reason in bridged["reasons"]]


@pytest.mark.parametrize(("value", "wanted"), [("no", "no"), ("auto", "yes"), ("yes", "yes")])
def test_connection_tracking_as_it_is_printed(tmp_path: Path, value: str, wanted: str) -> None:
    text = f"{PROMPT}/ip/firewall/connection/tracking/print\n enabled: {value}\n active-ipv4: yes\n"
    assert established(answer(tmp_path, HOME, text)) == wanted
    assert (
        established(answer(tmp_path, HOME, text.partition("\n")[2] + " udp-stream-timeout: 3m\n"))
        == wanted
    )


def test_the_line_of_the_export_decides_and_not_its_echo(tmp_path: Path) -> None:
    export = HOME + "/ip settings\nset allow-fast-path=no\n"
    for value, file in (("no", "r.rsc"), ("yes", "r.rsc")):
        text = f"{PROMPT}/ip/settings/print\n allow-fast-path: {value}\n"
        plain = answer(tmp_path, export, text)
        found = class_of(plain)
        assert found["answer"] == ("no" if value == "no" else "yes")
        assert found["reasons"][0]["lines"][0]["file"].endswith(file)


def test_no_simple_queue_at_all_is_no_dynamic_one_either(tmp_path: Path) -> None:
    export = "/ppp profile\nadd name=p rate-limit=1M/1M\n"
    for count, wanted in (("0", "yes"), ("212", "unknown")):
        text = f"{PROMPT}/queue/simple/print count-only\n{count}\n"
        assert established(answer(tmp_path, export, text)) == wanted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            f"{PROMPT}/ip/firewall/connection/print count-only where fasttrack\n0\n",
            "fast-tracked connections: 0",
        ),
        (f"{PROMPT}/ip/settings/print\n ipv4-fasttrack-active: no\n", "FastTrack of IPv4: closed"),
        (f"{PROMPT}/ip/settings/print\n ipv4-fasttrack-packets: 0\n", "ipv4-fasttrack-packets: 0"),
        (STATS.format("0", "0"), "packets that met the FastTrack rule: 0"),
    ],
)
def test_a_router_that_fast_tracks_nothing_contradicts_fasttrack(
    tmp_path: Path, text: str, said: str
) -> None:
    shown = explained(tmp_path, HOME, text)
    assert shown.exit_code == 1
    assert f"The running router contradicts this answer. It printed {said} (" in " ".join(
        shown.stdout.split()
    )
    assert answer(tmp_path, HOME, text)["fast"] is False
    assert answer(tmp_path, SLOW, text)["contradicted"] == []


@pytest.mark.parametrize(
    "text",
    [
        f"{PROMPT}/ip/firewall/connection/print count-only where fasttrack\n1843\n",
        f"{PROMPT}/ip/settings/print\n ipv4-fasttrack-packets: 48 211 934\n",
    ],
)
def test_a_router_that_fast_tracks_contradicts_an_answer_without_it(
    tmp_path: Path, text: str
) -> None:
    (found,) = answer(tmp_path, SLOW, text)["contradicted"]
    assert found["classes"] and "not FastTrack" in found["says"]
    fits = explained(tmp_path, HOME, text)
    assert fits.exit_code == 0 and "contradicts" not in fits.stdout


ONE_PORT = """# model = CHR
/interface bridge
add name=b
/interface bridge port
add bridge=b interface=ether2
"""


@pytest.mark.parametrize(
    ("export", "text", "count"),
    [
        ("/ip address\nadd address=10.0.0.1/8 interface=ether1\n", "ipv4-fast-path-active: no\n", 1),
        ("/ip address\nadd address=10.0.0.1/8 interface=ether1\n", "ipv4-fast-path-active: yes\n", 0),
        # FastTrack goes its way, be the fast path open or not.
        (HOME, "ipv4-fast-path-active: no\n", 0),
        (ONE_PORT, "bridge-fast-path-active: no\n", 1),
        (ONE_PORT, "bridge-fast-path-active: yes\n", 0),
    ],
)  # fmt: skip
def test_a_closed_fast_path_contradicts_an_open_one(
    tmp_path: Path, export: str, text: str, count: int
) -> None:
    assert len(answer(tmp_path, export, text)["contradicted"]) == count


def test_what_if_a_line_were_gone_is_held_against_no_router(tmp_path: Path) -> None:
    text = f"{PROMPT}/ip/firewall/connection/print count-only where fasttrack\n1843\n"
    gone = str(HOME.count("\n"))
    assert "contradicts" not in explained(tmp_path, HOME, text, "--without", gone).stdout
    assert "contradicts" in explained(tmp_path, SLOW, text).stdout
