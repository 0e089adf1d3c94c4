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
    explained,
)


def test_the_line_of_the_export_decides_and_not_its_echo(tmp_path: Path) -> None:
    export = HOME + "/ip settings\nset allow-fast-path=no\n"
    for value, file in (("no", "r.rsc"), ("yes", "r.rsc")):
        text = f"{PROMPT}/ip/settings/print\n allow-fast-path: {value}\n"
        plain = answer(tmp_path, export, text)
        found = class_of(plain)
        assert found["answer"] == ("no" if value == "no" else "yes")
        assert found["reasons"][0]["lines"][0]["file"].endswith(file)


@pytest.mark.parametrize(
    "text",
    [
        f"{PROMPT}/ip/firewall/connection/print count-only where fasttrack\n0\n",
        f"{PROMPT}/ip/settings/print\n ipv4-fasttrack-active: no\n",
        f"{PROMPT}/ip/settings/print\n ipv4-fasttrack-packets: 0\n",
        STATS.format("0", "0"),
    ],
)
def test_a_router_that_fast_tracks_nothing_contradicts_fasttrack(tmp_path: Path, text: str) -> None:
    assert explained(tmp_path, HOME, text).exit_code == 1
    seen = answer(tmp_path, HOME, text)
    assert seen["contradicted"] and seen["fast"] is False
    assert answer(tmp_path, SLOW, text)["contradicted"] == []


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
