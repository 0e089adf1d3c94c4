"""Statements of pages that were wrong or missing, and the fact that each of them stands on now."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.course.tasks import reading
from ppslab.course.tasks.schema import RouterOSSide
from ppslab.model import manual
from ppslab.model.lab import lab as labs

BOOK = Path(__file__).parents[3] / "book"


def page(name: str) -> str:
    """All pages of a chapter."""
    return "\n".join(each.read_text(encoding="utf-8") for each in (BOOK / name).glob("*.md"))


def test_a_bond_in_a_switch_chip_hashes_as_the_chip_does() -> None:
    """Bonding, Summary (read 2026-10-06): Prestera chips "always use Layer2+Layer3+Layer4", others
    "are limited to Layer2 transmit hash", and changing the policy "will have no effect"."""
    assert "look at the policy first, and then for a single large" not in page("hundred")
    for name, chips in (
        ("bonding-hash-prestera", {"98DX2xxx", "98DX8xxx"}),
        ("bonding-hash-layer-2", {"88E6393X", "88E6191X", "88E6190"}),
    ):
        assert chips <= set(manual.fact(name).fact.chips)
        assert f"\n{name}\n" in page("hundred")
    spread = reading.load(labs.find("hundred")).task("spread").routeros
    assert isinstance(spread, RouterOSSide)
    assert "no effect" in spread.text and "bonding-hash-no-effect" in spread.facts


@pytest.mark.parametrize(
    ("name", "gone", "facts"),
    [
        (
            "l3offload",
            "is a TCAM",
            # L3 Hardware Offloading, and Layer2 misconfiguration.
            "l3hw-one-bridge l3hw-vlan-on-bridge l3hw-bridge-tagged l3hw-mac l3hw-mtu "
            "l3hw-per-vlan l3hw-acl-drop l3hw-acl-memory l3hw-fasttrack-chips two-chips-cpu "
            "two-chips-flag two-chips-flood",
        ),
        # Packet Flow in RouterOS, and CHR: Installation.
        ("whitebox", "MikroTik's manual does not say so", "fast-path-ports chr-fast-path"),
    ],
)
def test_a_page_renders_the_manual_s_rows(name: str, gone: str, facts: str) -> None:
    text = page(name)
    assert gone not in text
    assert all(f"\n{each}\n" in text for each in facts.split())


def test_the_default_route_is_the_difference_on_a_chip_with_indexes() -> None:
    """Partial offloading: with a default route by the same next hop all, without it 37 729."""
    text = page("l3offload")
    assert "On this chip it does not change." in text
    assert "942 326" in text and "37 729" in text
    assert "942 326" in manual.says("l3hw-indexes-default")
    assert "37 729" in manual.says("l3hw-indexes-gaps")


def test_the_reader_finds_who_says_so() -> None:
    assert "](../manual.md)" in page("l3offload")
    assert "](manual.md)" in (BOOK / "method.md").read_text(encoding="utf-8")
