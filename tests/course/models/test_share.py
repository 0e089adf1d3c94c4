"""A link to an answer of `explain`: the same sentence again, and nothing of the export."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ppslab.core import paths
from ppslab.course.models import share
from ppslab.course.widgets.facts import sources
from tests.course.models.both import ask, both, known

EXPORTS = sorted((paths.project_root() / "packages/rosexplain/tests/exports").glob("*.rsc"))
BASE: dict[str, Any] = known("explain")["base"]
HOME = dict(sources.explain()["examples"])["An accept rule before the FastTrack rule"]
IN_FRONT = (
    "for=established&answer=no&path=slow&why=fasttrack-accept-in-front&rule=accept-in-front"
    "&remedy=accept-in-front&routeros=7.20.8&model=5009"
)

SECRETS = {
    "a comment": "the-boss-at-home",
    "a password": "sesame-4711",
    "an interface": "uplink-to-acme",
    "a bridge": "lan-of-acme",
    "a tunnel": "tunnel-to-acme",
    "an address": "203.0.113.",
    "a network": "198.51.100.",
    "a list": "vip-customers",
    "an identity": "acme-headquarters",
    "a serial number": "HF409X0YZ",
    "a model that nobody knows": "acmeboard-9000",
    "a version that is none": "7.20-acme",
}
FULL = f"""\
# 2026-11-20 10:00:00 by RouterOS {SECRETS["a version that is none"]}
# model = {SECRETS["a model that nobody knows"]}
# serial number = {SECRETS["a serial number"]}
/interface bridge
add name={SECRETS["a bridge"]} comment="{SECRETS["a comment"]}" vlan-filtering=yes
add name={SECRETS["a bridge"]}-2 dhcp-snooping=yes
/interface ethernet
set [ find default-name=ether1 ] name={SECRETS["an interface"]}
/interface eoip
add name={SECRETS["a tunnel"]} remote-address={SECRETS["an address"]}77 tunnel-id=1 \
ipsec-secret={SECRETS["a password"]}
/interface wireguard
add name="wg ({SECRETS["a tunnel"]})" private-key="{SECRETS["a password"]}"
/interface veth
add name={SECRETS["a tunnel"]}-veth
/interface list
add name={SECRETS["a list"]}
/interface bridge port
add bridge={SECRETS["a bridge"]} interface=ether2
add bridge={SECRETS["a bridge"]} interface={SECRETS["a tunnel"]}
add bridge={SECRETS["a bridge"]}-2 interface=ether3
add bridge={SECRETS["a bridge"]}-2 interface=ether4
/interface list member
add interface={SECRETS["an interface"]} list={SECRETS["a list"]}
/ip address
add address={SECRETS["a network"]}1/24 interface={SECRETS["a bridge"]}
add address={SECRETS["an address"]}77/24 interface={SECRETS["an interface"]}
/ip route
add gateway={SECRETS["an address"]}1
/ip firewall filter
add action=accept chain=forward comment="{SECRETS["a comment"]}" connection-state=established
add action=fasttrack-connection chain=forward connection-state=established,related
/ip firewall nat
add action=masquerade chain=srcnat out-interface-list={SECRETS["a list"]}
add action=dst-nat chain=dstnat dst-address={SECRETS["an address"]}77 to-addresses=\
{SECRETS["a network"]}9
/queue simple
add name={SECRETS["a list"]} target={SECRETS["a network"]}0/24 max-limit=10M/10M
/system identity
set name={SECRETS["an identity"]}
"""


def export(text: str) -> dict[str, Any]:
    return {"name": "acme-router.rsc", "text": text}


def links(text: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = ask("explain", export=export(text))["share"]
    return found


def every_link(text: str) -> str:
    return "\n".join(f"{one['fragment']} {one['says']}" for one in links(text)).lower()


def test_nothing_of_an_export_is_in_a_link() -> None:
    words = every_link(FULL)
    assert len(links(FULL)) > 8
    assert [name for name, secret in SECRETS.items() if secret.lower() in words] == []
    assert "acme" not in words
    assert re.findall(r"\d+\.\d+", words) == []


def test_each_subject_of_the_rules_has_a_chapter() -> None:
    assert {rule["subject"] for rule in BASE["rules"]} == set(share.CHAPTERS)


def test_links_are_the_same_whatever_names_and_addresses_an_export_has() -> None:
    other = FULL
    for number, (name, secret) in enumerate(SECRETS.items()):
        numeric = {"an address": "192.0.2.", "a network": "10.9.8."}
        other = other.replace(secret, numeric.get(name, f"other{number}"))
    assert "acme" not in other
    assert links(other) == links(FULL)


@pytest.mark.long
@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
def test_every_answer_has_a_link_that_shows_its_sentence_again(path: Path) -> None:
    answer = ask("explain", export=export(path.read_text(encoding="utf-8")))
    verdicts = {(verdict, tuple(ways)) for _, verdict, ways in answer["values"]["answers"]}
    linked = set()
    for one in answer["share"]:
        # No program that sends it on changes a letter of it, and all of it is of the closed lists.
        assert quote(one["fragment"], safe="=&,") == one["fragment"]
        again = ask("explain", shared=one["fragment"])
        assert again["says"][0].endswith(one["says"])
        chapter = paths.project_root() / again["shared"]["address"]
        assert chapter.with_suffix(".md").is_file()
        words = dict(pair.split("=") for pair in one["fragment"].split("&"))
        if words["for"] != share.NOTE:
            linked.add((words["answer"], tuple(words["path"].split(","))))
    assert linked == verdicts


def test_a_link_says_the_kind_of_answer_why_and_what_would_change_it() -> None:
    assert IN_FRONT in [one["fragment"] for one in ask("explain", **HOME)["share"]]
    answer = ask("explain", shared=IN_FRONT)
    first, *more = answer["says"]
    assert "7.20.8" in first and "RB5009" in first
    assert any("/ip/firewall/filter/move" in text for text in more)
    assert answer["shared"] == {"chapter": "FastTrack", "address": "book/fasttrack/index.html"}


@pytest.mark.parametrize(
    "fragment",
    [
        "", "a=b", "for=established", "for=established&answer=no&path=nowhere",
        "for=<b>&answer=no&path=slow", "for=carried-acme&answer=no&path=slow", "for=note&rule=acme",
        "for=established&answer=perhaps&path=slow", "for=established&answer=no",
    ],
)  # fmt: skip
def test_a_link_that_names_no_answer_leaves_the_page_as_it_is(fragment: str) -> None:
    assert ask("explain", shared=fragment) == ask("explain")


@pytest.mark.parametrize("word", ["routeros", "model", "why", "rule", "remedy"])
def test_a_word_that_is_on_no_list_is_not_shown(word: str) -> None:
    """Anybody can write a link, and send it to somebody who trusts this site."""
    forged = re.sub(rf"{word}=[^&]*", f"{word}=call-0800-4711", IN_FRONT)
    assert "call-0800" in forged
    assert "call-0800" not in str(ask("explain", shared=forged))


@pytest.mark.parametrize(
    ("text", "version"),
    [("7.20.8", "7.20.8"), ("7.21rc2", "7.21rc2"), ("6.49", "6.49"), ("7.20-acme", ""),
     ("5.26", ""), ("7", ""), ("7.1234.1", ""), ("10.0.0.1", ""), ("", ""), ("7.2alpha1x", "")],
)  # fmt: skip
def test_a_version_is_a_version_or_nothing(text: str, version: str) -> None:
    assert share._version(text) == version


@pytest.mark.parametrize(
    ("model", "device"),
    [("RB5009UG+S+", "5009"), ("CRS326-24G-2S+", "CRS326-24G"), ("RouterBOARD 750Gr3", "750GR3"),
     ("CHR", "CHR"), ("RB of my own", ""), ("", "")],
)  # fmt: skip
def test_a_model_is_a_device_of_the_rule_base_or_nothing(model: str, device: str) -> None:
    assert share._device(model, BASE) == device


@pytest.mark.long
def test_both_hosts_read_a_link_alike() -> None:
    both("explain", [{"shared": IN_FRONT}, {"shared": "for=x"}, {"export": export(FULL)}])
