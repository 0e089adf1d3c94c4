"""What terminal, page of HTML and site show of an answer: the same parts, and all of them."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ppslab.cli import app
from rosexplain import report

SWITCH = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CRS326-24G-2S+
/interface bridge
add name=bridge1
add name=second
/interface ethernet switch
set 0 l3-hw-offloading=yes
/interface list
add name=WAN
/interface list member
add interface=ether1 list=WAN
/interface vlan
add interface=ether5 name=vlan5 vlan-id=5
/ip address
add address=192.168.1.1/24 interface=bridge1
/ip firewall filter
add action=accept chain=forward connection-state=established,related
add action=fasttrack-connection chain=forward connection-state=established,related
:put unread
"""
PRINTED = """[admin@MikroTik] > /ip/settings/print
 ipv4-fast-path-active: no
 ipv4-fasttrack-packets: 48 211 934
[admin@MikroTik] > /ip/vrf/print
 0 x
"""
PACKET = "in=bridge1 dst=1.1.1.1:443/tcp established"


@pytest.fixture
def shown(tmp_path: Path) -> tuple[str, str, dict[str, Any]]:
    """The text, the words of the page, and the answer as data."""
    (tmp_path / "r.rsc").write_text(SWITCH)
    (tmp_path / "p.txt").write_text(PRINTED)
    page = tmp_path / "o.html"
    command = ["explain", str(tmp_path / "r.rsc"), "--print", str(tmp_path / "p.txt")]
    text = (
        CliRunner().invoke(app, [*command, "--packet", PACKET, "--all", "--html", str(page)]).stdout
    )
    data = CliRunner().invoke(app, [*command, "--packet", PACKET, "--json"]).stdout
    said = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page.read_text())))
    return re.sub(r"\s+", " ", text), said, json.loads(data)


def test_both_have_each_part(shown: tuple[str, str, dict[str, Any]]) -> None:
    text, page, plain = shown
    rows = plain["defaults"]
    words = [f"{row['menu']} {row['property']}={row['value']}" for row in rows]
    words += [row["source"] for row in rows]
    words += [part for row in plain["offload"] for part in (row["says"], row["cited"])]
    words += report.evidence(plain)
    assert rows and plain["offload"] and plain["evidence"]
    for one in words:
        assert re.sub(r"\s+", " ", one) in page and without_spaces(one) in without_spaces(text)


def without_spaces(text: str) -> str:
    """Words as they are wherever a line ends; sources begin with a capital in the text."""
    return re.sub(r"\s+", "", text).casefold()


def test_both_have_what_contradicts_and_what_was_not_read(
    shown: tuple[str, str, dict[str, Any]],
) -> None:
    text, page, plain = shown
    assert plain["contradicted"] and len(plain["unread"]) > 1
    contradicting = [line for line in plain["summary"]["warnings"] if "contradicts" in line]
    assert contradicting
    for line in [*contradicting, *map(report.unread, report.named(plain)["unread"])]:
        assert without_spaces(line) in without_spaces(page), line
        assert without_spaces(line) in without_spaces(text)


def test_no_part_of_the_page_shows_markup_of_the_export(tmp_path: Path) -> None:
    (tmp_path / "r.rsc").write_text('/interface bridge\nadd name="<b>x</b>"\n')
    text = '/interface/bridge/print\n 0 R name="<i>y</i>" actual-mtu=1500\n'
    (tmp_path / "p.txt").write_text(text)
    page = tmp_path / "o.html"
    CliRunner().invoke(
        app,
        ["explain", str(tmp_path / "r.rsc"), "--print", str(tmp_path / "p.txt"), "--html",
         str(page), "--packet", "dst=1.1.1.1"],
    )  # fmt: skip
    assert "<i>" not in page.read_text() and "&lt;i&gt;y" in page.read_text()
    assert "<b>x" not in page.read_text()
