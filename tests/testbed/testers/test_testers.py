"""Choosing a tester, its inventory, and what the testers' own words mean; nothing here sends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ppslab.core.errors import CannotHereError, FileError, UsageError
from ppslab.testbed.testers import testers
from tests.testbed.testers.conftest import FLOW, LOAD, Nowhere

# --- choosing --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("trex: {url: 'http://a', ports: {}}\n", "routeros"),
        ("routeros:\n  url: 192.0.2.1\n  ports: {}\n", ":2: routeros: url"),
        ("routeros:\n  url: http://a\n  prots: {}\n", ':3: routeros: unknown key "prots"'),
        ("routeros:\n  url: http://a/rest\n  ports: {}\n", ":2: routeros: url"),
    ],
)
def test_a_wrong_inventory_is_told_with_its_line(inventory: Path, text: str, said: str) -> None:
    inventory.write_text(text)
    with pytest.raises(FileError) as told:
        testers.chosen("routeros", inventory)
    assert said in str(told.value)


def test_what_a_device_cannot_reach_is_said_before_anything_starts(inventory: Path) -> None:
    inventory.write_text("routeros: {url: 'http://127.0.0.1:9', ports: {p1: a, p2: b}}\n")
    device, program = testers.chosen("routeros", inventory), testers.chosen("ppstraffic")
    for backend in ("namespaces", "vm"):
        with pytest.raises(CannotHereError):
            device.must_reach(backend)
        program.must_reach(backend)
    device.must_reach("containerlab")
    assert device.needs == program.needs == frozenset()
    with pytest.raises(UsageError, match="routeros"):
        device.must_go_without_a_rate()


# --- shares of a load --------------------------------------------------------------------------


def test_shares_leave_no_frame_over() -> None:
    assert LOAD.shares(1000) == [250, 750]
    assert replace(LOAD, flows=(FLOW, FLOW, FLOW)).shares(7) == [2, 2, 3]
    assert LOAD.whole_rates() == [2500, 7500]
    assert replace(LOAD, rate=0.5).whole_rates() == [1, 1]


# --- one that a package brings --------------------------------------------------------------------


class Trex:
    abilities = frozenset({"ipv6"})
    needs = frozenset({"nft"})
    is_device = True

    def __init__(self, node: object, config: Path | None) -> None:
        self.node, self.config = node, config


def test_a_package_brings_a_tester_by_an_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trex-1.dist-info").mkdir()
    (tmp_path / "trex-1.dist-info/METADATA").write_text("Name: trex\nVersion: 1\n")
    (tmp_path / "trex-1.dist-info/entry_points.txt").write_text(
        f"[{testers.GROUP}]\ntrex = {__name__}:Trex\nppstraffic = {__name__}:Trex\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    testers.brought.cache_clear()
    try:
        chosen = testers.chosen("trex", tmp_path / "trex.yml")
        assert (chosen.abilities, chosen.needs) == ({"ipv6"}, {"nft"})
        made = chosen.make(Nowhere())
        assert isinstance(made, Trex) and made.config == tmp_path / "trex.yml"
        with pytest.raises(CannotHereError):
            chosen.must_reach("vm")
        with pytest.raises(UsageError, match="trex"):
            chosen.must_go_without_a_rate()
        assert testers.chosen("ppstraffic").brought is None, "a name that is taken stays ours"
    finally:
        testers.brought.cache_clear()
