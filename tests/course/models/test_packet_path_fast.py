"""What closes the fast path of a router and of a bridge, as the manual's lists have it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ppslab.core import paths
from ppslab.course.widgets.facts import packet_path
from ppslab.course.widgets.facts.packet_path import facts, manual
from ppslab.model import manual as sources
from ppslab.testbed.routers.routeros import checks
from rosexplain import base
from tests.course.models.path_asked import rules, way


def test_the_doctor_asks_for_every_list_that_closes_the_fast_path() -> None:
    closing = {f["menu"] for f in facts()["details"] if "ip" in f["closes"]}
    asked = {
        menu
        for name, closed in base.rules().items()
        if closed["closes"].get("ip") and name not in checks.LAN_ONLY
        for menu in closed["menus"]
    }
    assert closing <= asked


@pytest.mark.parametrize(
    ("feature", "rule"),
    [
        ("rules", "fast-path-firewall"),
        ("nat", "fast-path-firewall"),
        ("simple-queues", "fast-path-queues"),
        ("queue-tree", "fast-path-queues"),
        ("vrf", "fast-path-vrf"),
        ("ipsec", "fast-path-ipsec"),
        ("hotspot", "fast-path-hotspot"),
        ("mesh", "fast-path-mesh"),
        ("sniffer", "fast-path-tools"),
        ("torch", "fast-path-tools"),
        ("scan", "fast-path-scans"),
    ],
)
def test_each_condition_of_the_manual_closes_the_fast_path(feature: str, rule: str) -> None:
    assert way() == "fast-path"
    assert way(features=[feature]) == "slow"
    assert rules(features=[feature])[0] == rule


@pytest.mark.parametrize(
    ("feature", "rule"),
    [
        ("bridge-rules", "bridge-fast-path-rules"),
        ("use-ip-firewall", "bridge-fast-path-ip-firewall"),
        ("dhcp-snooping", "bridge-fast-path-snooping"),
        ("mesh", "bridge-fast-path-mesh"),
        ("sniffer", "bridge-fast-path-tools"),
        ("torch", "bridge-fast-path-tools"),
        ("generator", "bridge-fast-path-tools"),
    ],
)
def test_and_each_of_the_bridge(feature: str, rule: str) -> None:
    assert way(way="bridged") == "bridge-fast-path"
    assert way(way="bridged", two_ports=True) == "fast-forward"
    assert way(way="bridged", two_ports=True, bridge_chip="bridges") == "chip"
    assert way(way="bridged", two_ports=True, features=[feature]) == "slow"
    assert rules(way="bridged", features=[feature]) == [rule]


FORWARD = {
    "no-fast-forward": "fast-forward-setting",
    "vlan-filtering": "fast-forward-no-vlan-filtering",
    "unicast-flood": "fast-forward-unicast-flood",
    "multicast-flood": "fast-forward-multicast-flood",
    "broadcast-flood": "fast-forward-broadcast-flood",
    "admin-mac": "fast-forward-mac",
    "horizon": "fast-forward-horizon",
}


@pytest.mark.parametrize(("feature", "rule"), FORWARD.items())
def test_fast_forward_has_conditions_that_the_fast_path_has_not(feature: str, rule: str) -> None:
    """The manual, Bridging and Switching, Fast Forward: eleven conditions, all of them a must."""
    asked = {"way": "bridged", "two_ports": True, "features": [feature]}
    assert way(**asked) == "bridge-fast-path"
    assert rules(**asked) == [rule]


def test_fast_forward_has_eleven_conditions() -> None:
    told = [name for name in sources.load().facts if name.startswith("fast-forward-")]
    assert len(told) == 12  # and that it learns nothing
    decides = {*packet_path.rules()}
    # Hardware offload takes the frame before Fast Forward is asked; snooping closes more than it.
    before = {"fast-forward-no-chip", "fast-forward-no-snooping"}
    assert set(told) - decides == {*before, "fast-forward-learns-nothing"}
    assert way(way="bridged", two_ports=True, features=["dhcp-snooping"]) == "slow"
    assert way(way="bridged", two_ports=True, bridge_chip="bridges") == "chip"
    assert way(way="bridged", two_ports=True, driver="in") == "bridge-fast-path"
    assert way(way="bridged") == "bridge-fast-path"


def test_a_bridge_that_filters_vlans_is_fast_but_for_priority_tags() -> None:
    """Packet Flow in RouterOS, Fast Path: since 7.2, and VLAN ID 0 goes the slow way."""
    vlan = {"way": "bridged", "features": ["vlan-filtering"]}
    assert way(**vlan) == "bridge-fast-path"
    assert way(**vlan, frame="priority-tagged") == "slow"
    assert rules(**vlan, frame="priority-tagged") == ["bridge-fast-path-priority-tag"]
    assert way(way="bridged", frame="priority-tagged") == "bridge-fast-path"


def test_a_bond_is_fast_for_what_it_receives() -> None:
    """Packet Flow in RouterOS, Fast Path: "bonding interfaces (RX only)"."""
    assert way(driver="bond") == "half"
    assert rules(driver="bond")[-1] == "fast-path-bond"


def listed(page: Path, fact: str) -> set[str]:
    """The facts of the page's list that has `fact`."""
    text = page.read_text(encoding="utf-8")
    lists = re.findall(r"^```\{ppslab-manual\}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (found,) = (set(each.split()) for each in lists if fact in each.split())
    return found


def test_the_chapters_lists_are_the_widgets_rules() -> None:
    page = paths.project_root() / "book/fastpath/router.md"
    closing: dict[str, set[str]] = {}
    for feature in manual().features:
        for closed, fact in feature.closes.items():
            closing.setdefault(closed, set()).add(fact)
    barred = {"fast-path-allowed", "fast-path-tracking"}
    closing["ip"].remove("fast-path-over-bridge")  # inferred, so on no list of the manual
    assert listed(page, "fast-path-allowed") == closing["ip"] | barred
    tag = {"bridge-fast-path-priority-tag", "bridge-fast-path-vlan-filtering"}
    here = {"bridge-fast-path-setting"} | tag
    assert listed(page, "bridge-fast-path-setting") == closing["bridge"] | here
    two = {"fast-forward-two-ports", "fast-forward-fast-path"}
    two |= {"fast-forward-no-chip", "fast-forward-no-snooping"}
    assert listed(page, "fast-forward-two-ports") == closing["forward"] | two
    page = paths.project_root() / "book/fasttrack/router.md"
    marked = {"fasttrack-tcp-udp", "fasttrack-established", "fasttrack-accept-in-front"}
    wanted = closing["fasttrack"] | marked | {"fasttrack-allowed"}
    assert listed(page, "fasttrack-accept-in-front") == wanted
