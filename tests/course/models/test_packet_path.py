"""The packet path against the manual's lists, the labs' RouterOS files, and what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ppslab import results
from ppslab.analysis import costs
from ppslab.base import paths
from ppslab.base.errors import FileError
from ppslab.course.widgets.facts import packet_path
from ppslab.course.widgets.facts.packet_path import FILE, facts, manual
from ppslab.lab import lab as labs
from ppslab.routers.routeros.checks import fast_path
from ppslab.theory import manual as sources
from ppslab.theory.packet_path import rules as base
from ppslab.theory.packet_path.packet_way import SAID
from tests.course.models.both import ask, both
from tests.results import committed

FAST = {"fast-path", "bridge-fast-path"}


def asked(**inputs: Any) -> dict[str, Any]:
    """The inputs; the features of a bridge have a control of their own."""
    if inputs.get("way") == "bridged" and "features" in inputs:
        inputs["on_bridge"] = inputs.pop("features")
    return inputs


def way(**inputs: Any) -> str:
    found: str = ask("packet-path", **asked(**inputs))["values"]["way"]
    return found


def rules(**inputs: Any) -> list[str]:
    found: list[str] = ask("packet-path", **asked(**inputs))["values"]["rules"]
    return found


def configured(lab: str, condition: str) -> dict[str, Any]:
    """The inputs that a condition's RouterOS files come to."""
    found = labs.find(lab)
    text = "\n".join(
        (found.folder / name).read_text(encoding="utf-8")
        for name in found.condition(condition).routeros
    )
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    text = "\n".join(lines)
    features = []
    if "/ip/firewall/filter" in text:
        features.append("rules")
    if "/ip/firewall/nat" in text:
        features.append("nat")
    if "/queue/simple" in text:
        features.append("simple-queues")
    if "/interface/bridge/filter" in text:
        features.append("bridge-rules")
    bridged = "/interface/bridge add" in text
    settings = "/interface/bridge/settings" if bridged else "/ip/settings"
    told = [line for line in lines if line.startswith(f"{settings} set")]
    tracking = [line for line in lines if line.startswith("/ip/firewall/connection/tracking")]
    return {
        "way": "bridged" if bridged else "routed",
        "features": features,
        "allow": not told or "allow-fast-path=no" not in told[-1],
        "tracking": tracking[-1].rpartition("=")[2].strip() if tracking else "auto",
        "fasttrack": "fasttrack-connection" in text,
        "queue": "other" if "/queue/interface" in text else "hardware",
    }


def test_the_fast_path_lab_agrees() -> None:
    """Its Linux stand-in goes around the stack exactly where RouterOS would."""
    for name, condition in labs.find("fastpath").conditions.items():
        found = way(**configured("fastpath", name))
        assert (found in FAST) == (condition.linux.bpf is not None), name


@pytest.mark.parametrize("kind", ["routing", "bridging"])
def test_the_fast_way_was_the_shortest_in_every_kept_run(kind: str) -> None:
    """Of those that counted instructions: which way is the longer is no matter of noise there."""
    runs = [results.load(path) for path in committed.paths() if path.name.startswith("fastpath-")]
    counted = [record for record in runs if record.measure == "counted"]
    assert counted
    for record in counted:
        fast: list[float] = []
        slow: list[float] = []
        for name in costs.measured_conditions(record):
            if name.startswith(kind):
                taken = fast if way(**configured("fastpath", name)) in FAST else slow
                taken += costs.router_costs(record, name, 64).values()
        assert fast and slow, record.id
        assert max(fast) < min(slow), record.id


def test_the_fasttrack_lab_agrees() -> None:
    """Where connection tracking must show offloaded connections, the way is FastTrack."""
    packets = {"unanswered": "first", "other-protocol": "other"}
    for name, condition in labs.find("fasttrack").conditions.items():
        # With VLANs the lab asks whether Linux offloads, and does not say so beforehand.
        if "ipv6" in name or "vlan" in name:
            continue
        packet = next((packets[word] for word in packets if name.endswith(word)), "established")
        found = way(packet=packet, **configured("fasttrack", name))
        assert (found == "fasttrack") == bool(condition.linux.expect.offloaded), name


def test_the_doctor_asks_for_every_list_that_closes_the_fast_path() -> None:
    closing = {f["menu"] for f in facts()["details"] if "ip" in f["closes"]}
    asked = {
        menu
        for kept in base.load().rules.values()
        if kept.rule.closes.get("ip") and kept.id not in fast_path.LAN_ONLY
        for menu in kept.rule.menus
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


@pytest.mark.parametrize("feature", ["lan-rules", "lan-ip-firewall", "lan-snooping", "lan-allow"])
def test_a_closed_bridge_closes_fasttrack_and_the_fast_path(feature: str) -> None:
    """Packet Flow in RouterOS, FastTrack, Requirements; and what follows from half-fastpath."""
    assert way(fasttrack=True, features=[feature]) == "slow"
    assert rules(fasttrack=True, features=[feature])[0] == "fasttrack-bridge"
    assert way(features=[feature]) == "slow"
    assert rules(features=[feature]) == ["fast-path-over-bridge"]


def test_an_accept_rule_in_front_keeps_a_connection_out_of_fasttrack() -> None:
    assert way(fasttrack=True, accepted=True) == "slow"
    assert rules(fasttrack=True, accepted=True)[0] == "fasttrack-accept-in-front"


def test_fasttrack_looks_up_the_main_table() -> None:
    """Packet Flow in RouterOS, FastTrack: "it works only with the main routing table"."""
    answer = ask("packet-path", fasttrack=True)
    assert "fasttrack-main-table" in answer["values"]["rules"]
    assert "in the table main, before marks" in str(answer["tables"][1]["rows"])


def listed(page: Path, after: str) -> set[str]:
    """The facts of the first list in a page behind some words."""
    text = page.read_text(encoding="utf-8")
    begin = text.index("```{ppslab-manual}\n", text.index(after))
    return set(text[begin:].split("```")[1].split("\n")[1:-1])


def test_the_chapters_lists_are_the_widgets_rules() -> None:
    page = paths.project_root() / "book/fastpath/router.md"
    closing: dict[str, set[str]] = {}
    for feature in manual().features:
        for closed, fact in feature.closes.items():
            closing.setdefault(closed, set()).add(fact)
    barred = {"fast-path-allowed", "fast-path-tracking"}
    closing["ip"].remove("fast-path-over-bridge")  # inferred, so on no list of the manual
    assert listed(page, "only while all of these hold.") == closing["ip"] | barred
    tag = {"bridge-fast-path-priority-tag", "bridge-fast-path-vlan-filtering"}
    here = {"bridge-fast-path-setting"} | tag
    assert listed(page, "A bridge has a list of its own") == closing["bridge"] | here
    two = {"fast-forward-two-ports", "fast-forward-fast-path"}
    two |= {"fast-forward-no-chip", "fast-forward-no-snooping"}
    assert listed(page, "Between exactly two ports") == closing["forward"] | two
    page = paths.project_root() / "book/fasttrack/router.md"
    marked = {"fasttrack-tcp-udp", "fasttrack-established", "fasttrack-accept-in-front"}
    wanted = closing["fasttrack"] | marked | {"fasttrack-allowed"}
    assert listed(page, "does not move while traffic flows") == wanted


def test_tracking_counts_only_where_it_is_active() -> None:
    assert way(tracking="yes") == "slow"
    assert rules(tracking="yes") == ["fast-path-tracking"]
    assert rules(features=["rules"]) == ["fast-path-firewall", "fast-path-tracking"]
    assert rules(features=["rules"], tracking="no") == ["fast-path-firewall"]
    assert (
        "tracking" not in ask("packet-path", features=["rules"], tracking="no")["values"]["works"]
    )


def test_fasttrack_takes_tcp_and_udp_that_was_answered() -> None:
    assert way(fasttrack=True) == "fasttrack"
    assert rules(fasttrack=True, packet="other")[0] == "fasttrack-tcp-udp"
    assert rules(fasttrack=True, packet="first")[0] == "fasttrack-established"
    assert rules(fasttrack=True, packet="fragment") == ["fast-path-fragments"]


@pytest.mark.parametrize("feature", ["sniffer", "torch", "generator", "scan", "mesh"])
def test_what_stops_fasttrack(feature: str) -> None:
    assert way(fasttrack=True, features=[feature]) == "slow"
    assert rules(fasttrack=True, features=[feature])[0].startswith("fasttrack-")


@pytest.mark.parametrize(
    "feature", ["rules", "simple-queues", "queue-tree", "ipsec", "hotspot", "vrf"]
)
def test_what_fasttrack_goes_around(feature: str) -> None:
    answer = ask("packet-path", fasttrack=True, features=[feature])
    assert answer["values"]["way"] == "fasttrack"
    assert any("bypasses" in said for said in answer["warns"])
    assert {"tracking", "nat", "routing"} <= set(answer["values"]["works"])


def test_fasttrack_without_tracking_is_told() -> None:
    problem = ask("packet-path", fasttrack=True, tracking="no")["problem"]
    assert problem["input"] == "tracking"


def test_ports_decide_how_far_it_goes() -> None:
    assert rules(driver="none") == ["fast-path-driver"]
    assert way(driver="in") == "half"
    assert "fast-path-hardware-queue" in rules(queue="other")
    assert way(queue="other") == "fast-path"
    assert rules(allow=False) == ["fast-path-allowed"]
    assert rules(packet="fragment") == ["fast-path-fragments"]
    assert rules(packet="last-hop") == ["fast-path-icmp"]


def test_the_chip_sees_no_rules_and_hands_over_what_it_cannot() -> None:
    answer = ask("packet-path", chip="routes", features=["rules", "simple-queues", "sniffer"])
    assert answer["values"]["way"] == "chip"
    assert answer["values"]["works"] == ["in", "chip", "out"]
    assert "firewall rules" in answer["warns"][0]
    assert "sniffer" not in answer["warns"][0]
    assert rules(chip="routes", fits=False) == ["l3hw-shorter-leave", "fast-path-open"]
    assert rules(chip="routes", packet="last-hop")[0] == "l3hw-icmp"
    assert way(chip="fasttrack", fasttrack=True) == "chip-fasttrack"
    assert way(chip="fasttrack", fasttrack=True, packet="first") == "slow"
    assert way(chip="fasttrack", fasttrack=True, features=["torch"]) == "slow"
    assert rules(chip="fasttrack") == ["l3hw-fasttrack-only", "fast-path-open"]


def test_every_decision_names_a_rule_and_every_rule_decides_something() -> None:
    named: set[str] = set()
    packets = ("established", "first", "other", "fragment", "last-hop")
    for chip in ("none", "routes", "fasttrack"):
        for packet in packets:
            for driver in ("both", "in", "none", "bond"):
                for fasttrack in (True, False):
                    named |= set(
                        rules(
                            chip=chip, packet=packet, driver=driver, fasttrack=fasttrack,
                            queue="other", fits=packet == "other",
                        )
                    )  # fmt: skip
    for feature in [[f.name] for f in manual().features]:
        for chip in ("none", "fasttrack"):
            named |= set(rules(features=feature, chip=chip))
            named |= set(rules(features=feature, chip=chip, fasttrack=True))
        named |= set(rules(way="bridged", features=feature))
        named |= set(rules(way="bridged", features=feature, two_ports=True))
    named |= set(rules(way="bridged", bridge_chip="bridges"))
    named |= set(rules(way="bridged", two_ports=True, driver="in"))
    named |= set(rules(way="bridged", features=["vlan-filtering"], frame="priority-tagged"))
    named |= set(rules(way="bridged", allow=False))
    named |= set(rules(fasttrack=True, accepted=True))
    named |= set(rules(allow=False))
    assert named == set(packet_path.rules()) - set(manual().beside)


def test_every_way_says_where_a_router_shows_it() -> None:
    assert set(manual().seen) == set(SAID)


def test_a_step_is_a_station() -> None:
    whole, third = ask("packet-path"), ask("packet-path", at=3)
    assert whole["steps"] == len(whole["tables"][1]["rows"])
    assert third["says"][-1].startswith("Station 3, Hotspot")
    assert third["figures"][0]["svg"].count("w-on") == 1


def test_examples_are_the_labs_own_conditions() -> None:
    for example in manual().examples:
        if example.condition:
            lab, condition = example.condition.split()
            assert way(**example.inputs) == way(
                packet="established", **configured(lab, condition)
            ), example.label


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "{name: simple-queues, ways: [routed], at: queues}",
            "{name: simple-queues, ways: [routed], at: queue}",
            "did you mean",
        ),
        ("{name: vrf,", "{name: vfr,", "did you mean"),
        ("  - fast-path-half", "  - fast-path-halve", 'did you mean "fast-path-half"'),
        ("on_bridge: [bridge-rules]", "on_bridge: [bridge-rule]", "no feature 'bridge-rule'"),
        ("  half:", "  halve:", "no way 'halve'"),
    ],
)
def test_a_wrong_name_in_the_file_is_told_with_its_line(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    text = FILE.read_text(encoding="utf-8")
    path = tmp_path / "packet_path.yml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(FileError, match=said) as caught:
        manual(path)
    assert caught.value.line == text[: text.index(old)].count("\n") + 1


@pytest.mark.long
def test_both_hosts_say_the_same() -> None:
    every: list[dict[str, Any]] = [
        {"features": [f.name], "at": n} for n, f in enumerate(manual().features)
    ]
    every += [
        {"fasttrack": True, "features": ["nat", "simple-queues"]},
        {"fasttrack": True, "chip": "fasttrack"},
        {"chip": "routes", "fits": False, "features": ["rules"]},
        {"way": "bridged", "on_bridge": ["bridge-rules", "torch"], "at": 4},
        {"way": "bridged", "two_ports": True, "driver": "in"},
        {"driver": "in", "queue": "other"},
        {"packet": "last-hop"},
        {"way": "bridged", "two_ports": True, "on_bridge": ["vlan-filtering", "horizon"]},
        {"way": "bridged", "on_bridge": ["vlan-filtering"], "frame": "priority-tagged"},
        {"way": "bridged", "two_ports": True, "driver": "bond"},
        {"fasttrack": True, "accepted": True},
        {"fasttrack": True, "driver": "bond"},
    ]
    assert len(both("packet-path", every)) == len(every)
