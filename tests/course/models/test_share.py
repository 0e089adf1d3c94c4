"""A link to an answer of `explain`, and its post: the same answer again, no name, no address."""

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
    "verdict=slow&classes=established.no.slow,bridged.yes.chip,new.no.slow,other.no.slow,"
    "to-router.no.slow&why=fasttrack-accept-in-front&rule=accept-in-front"
    "&routeros=7.20.8&model=5009&stations=in.works,tracking.works,nat.works,"
    "routing.idle,filter.works.decides,queues.idle,port-queue.idle,out.works"
)

SECRETS = (
    "the-boss-at-home", "sesame-4711", "uplink-to-acme", "lan-of-acme", "tunnel-to-acme",
    "203.0.113.", "198.51.100.", "vip-customers", "acme-headquarters", "HF409X0YZ",
    "acmeboard-9000", "7.20-acme",
)  # fmt: skip
"""What secrets.txt has of somebody: a comment, a password, names, addresses, a serial number, and
a model and a version that nobody knows.
"""
FULL = Path(__file__).with_name("secrets.txt").read_text(encoding="utf-8")


def export(text: str) -> dict[str, Any]:
    return {"name": "acme-router.rsc", "text": text}


def fragment(text: str, **inputs: Any) -> str:
    shared: dict[str, Any] = ask("explain", export=export(text), **inputs)["share"]
    return str(shared["fragment"])


def leaks(text: str) -> list[str]:
    low = text.lower()
    return [secret for secret in SECRETS if secret.lower() in low]


def test_nothing_of_an_export_is_in_a_link() -> None:
    words = fragment(FULL)
    assert len(words.split("&")) > 4
    assert leaks(words) == []
    assert "acme" not in words
    assert re.findall(r"\d+\.\d+", words) == []


def test_a_post_has_no_name_and_no_public_address_in_it() -> None:
    answer = ask("explain", export=export(FULL), replace=True)
    posts = [post["text"] for post in answer["share"]["posts"]]
    for post, code in zip(posts, ("```", "[code]"), strict=True):
        assert leaks(post) == []
        assert "acme" not in post.lower()
        # Not empty for another reason: the verdict, the line that decides, and each class.
        assert answer["verdict"][1] in post and answer["quotes"] in post and code in post
        assert post.count("\n- ") == len(answer["values"]["answers"])
    assert ask("explain", export=export(FULL))["share"]["posts"] == [], "names are not replaced"


def test_a_post_shows_a_text_as_it_is_and_no_line_ends_its_block_early() -> None:
    assert share._markdown("text", "a_b [c] *d* <e>") == r"a\_b \[c\] \*d\* \<e\>"
    fence, *_, end = share._markdown("code", "add name=```").split("\n")
    assert fence == end and fence not in "add name=```"
    assert share._bbcode("code", "add name=[/code]").count("[/code]") == 1


def test_each_subject_of_the_rules_has_a_chapter() -> None:
    assert {rule["subject"] for rule in BASE["rules"]} == set(share.CHAPTERS)


def test_links_are_the_same_whatever_names_and_addresses_an_export_has() -> None:
    other = FULL
    numeric = {"203.0.113.": "192.0.2.", "198.51.100.": "10.9.8."}
    for number, secret in enumerate(SECRETS):
        other = other.replace(secret, numeric.get(secret, f"other{number}"))
    assert "acme" not in other
    assert fragment(other) == fragment(FULL) == fragment(FULL, replace=True)


@pytest.mark.long
@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
def test_a_link_shows_every_answer_and_the_drawing_again(path: Path) -> None:
    answer = ask("explain", export=export(path.read_text(encoding="utf-8")))
    linked = answer["share"]["fragment"]
    # No program that sends it on changes a letter of it.
    assert quote(linked, safe="=&,") == linked
    assert len(linked) <= share.MOST
    again = ask("explain", shared=linked)
    assert again["verdict"] == answer["verdict"]
    verdicts = {(verdict, *ways) for _, verdict, ways in answer["values"]["answers"]}
    assert {(verdict, *ways) for _, verdict, ways in again["values"]["answers"]} == verdicts
    chapter = paths.project_root() / again["shared"]["address"]
    assert chapter.with_suffix(".md").is_file()
    before, *_ = re.split("What decides", answer["figures"][0]["alt"])
    assert again["figures"][0]["alt"].startswith(before)


def test_a_link_says_the_kind_of_answer_why_and_what_would_change_it() -> None:
    assert fragment(HOME["export"]["text"]) == IN_FRONT
    answer = ask("explain", shared=IN_FRONT)
    assert "7.20.8" in answer["says"][0] and "RB5009" in answer["says"][0]
    assert [text.partition(":")[0] for text in answer["more"]] == ["Why", "What decides it"]
    assert answer["shared"] == {"chapter": "FastTrack", "address": "book/fasttrack/index.html"}


@pytest.mark.parametrize(
    ("model", "label"),
    [
        ("RB750Gr3", "RB750Gr3 (hEX)"),
        ("CRS326-24G-2S+", "CRS326-24G"),  # several devices, of one family of chips
    ],
)
def test_a_link_names_a_device_as_the_table_of_devices_does(model: str, label: str) -> None:
    text = HOME["export"]["text"].replace("RB5009UG+S+", model)
    assert f"on {label}: " in ask("explain", shared=fragment(text))["says"][0]


def test_a_long_answer_gives_up_its_last_classes() -> None:
    plain: dict[str, Any] = {"router": {"version": "7.20.8", "model": ""}, "classes": [
        {"class": name, "kind": "established", "title": "", "answer": "no", "paths": ["slow"] * 30,
         "reasons": [], "changes": [], "stations": []} for name in share.TITLES]}  # fmt: skip
    long = share.link(plain, {"verdict": "slow", "class": "new"}, BASE)
    assert share.MOST - 180 < len(long) <= share.MOST
    assert "classes=new.no.slow" in long and "containers" not in long


@pytest.mark.parametrize(
    "wrong",
    [
        "a=b", "verdict=slow", "verdict=awful&classes=new.no.slow", "classes=new.no.slow",
        "verdict=slow&classes=new.no.nowhere", "verdict=slow&classes=<b>.no.slow",
        "verdict=slow&classes=carried-acme.no.slow", "verdict=slow&classes=new.perhaps.slow",
        "verdict=slow&classes=new", "verdict=slow&classes=nothing,new.no.slow",
        "for=established&answer=no&path=slow",
    ],
)  # fmt: skip
def test_a_link_that_names_no_answer_says_so(wrong: str) -> None:
    assert ask("explain", shared=wrong)["problem"]["input"] == "shared"


STATIONS = next(pair for pair in IN_FRONT.split("&") if pair.startswith("stations="))


@pytest.mark.parametrize(
    "stations",
    ["", "in.works", "in.works,out.works", "in.works,nat.works", "nat.works,in.works,out.works",
     "in.works,in.works,out.works", "in.works,mill.works,out.works", "in.works,nat.on,out.works"],
)  # fmt: skip
def test_stations_that_are_no_path_draw_nothing(stations: str) -> None:
    answer = ask("explain", shared=IN_FRONT.replace(STATIONS, f"stations={stations}"))
    assert answer["figures"] == []
    assert answer["verdict"][0] == "slow"


@pytest.mark.parametrize("word", ["routeros", "model", "why", "rule", "stations"])
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
    both(
        "explain",
        [{"shared": IN_FRONT}, {"shared": "for=x"}, {"export": export(FULL), "replace": True}],
    )
