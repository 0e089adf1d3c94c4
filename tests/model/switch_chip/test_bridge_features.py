"""The manual's tables of bridge offload, by family for readers and by device for advice."""

from __future__ import annotations

import pytest

from ppslab.model.switch_chip import ports

OF_CHIP = {chip: one for one in ports.features() for chip in one.chips}


@pytest.mark.parametrize("one", ports.bridging(), ids=lambda one: one.device)
def test_a_device_refuses_what_its_family_does(one: ports.Bridging) -> None:
    family = OF_CHIP[one.chip]
    asked = ("rstp", "mstp", "vlan", "igmp", "dhcp")
    assert set(one.refuses) == {name for name in asked if not family.keeps[name]}


def test_each_chip_is_of_one_family() -> None:
    named = [chip for one in ports.features() for chip in one.chips]
    assert len(named) == len(set(named))


@pytest.mark.parametrize(
    ("chip", "vlan"),
    [("88E6393X", True), ("MT7621", True), ("QCA8337", False), ("IPQ-PPE", False)],
)
def test_vlan_filtering_by_chip(chip: str, vlan: bool) -> None:
    assert OF_CHIP[chip].keeps["vlan"] is vlan
