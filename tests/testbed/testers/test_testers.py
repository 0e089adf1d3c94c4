"""Choosing a tester; the shares of a load."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ppslab.core.errors import CannotHereError, UsageError
from ppslab.testbed.testers import testers
from ppslab.testbed.testers.contract import Load
from tests.support.flow_factory import make_flow


def test_shares_leave_no_frame_over() -> None:
    flows = (make_flow(), make_flow(name="r21"))
    load = Load(flows, {"p1": "eth1", "p2": "eth2"}, 64, 0.1, 10_000.0, weights={"r21": 3})
    assert load.shares(1000) == [250, 750]
    assert replace(load, flows=(flows[0],) * 3).shares(7) == [2, 2, 3]


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
        made = chosen.make(object())  # type: ignore[arg-type]
        assert isinstance(made, Trex) and made.config == tmp_path / "trex.yml"
        for backend in ("namespaces", "vm"):
            with pytest.raises(CannotHereError):
                chosen.must_reach(backend)
            testers.chosen("ppstraffic").must_reach(backend)
        chosen.must_reach("containerlab")
        with pytest.raises(UsageError, match="trex"):
            chosen.must_send_at_full_speed()
        assert testers.chosen("ppstraffic").brought is None, "a name that is taken stays ours"
    finally:
        testers.brought.cache_clear()
