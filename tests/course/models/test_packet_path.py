"""The packet path against the labs' RouterOS files, what was measured, and its own rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import FileError
from ppslab.course.widgets.facts import packet_path
from ppslab.course.widgets.facts.packet_path import FILE, manual
from ppslab.judge import costs
from ppslab.model import results
from ppslab.model.lab import lab as labs
from rosexplain.decide import NAMES
from tests.course.models.both import ask, both
from tests.course.models.path_asked import FAST, configured, rules, way
from tests.model.results import committed


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
    assert set(manual().seen) == set(NAMES)


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
    ("old", "new"),
    [
        (
            "{name: simple-queues, ways: [routed], at: queues}",
            "{name: simple-queues, ways: [routed], at: queue}",
        ),
        ("{name: vrf,", "{name: vfr,"),
        ("  - fast-path-half", "  - fast-path-halve"),
        ("on_bridge: [bridge-rules]", "on_bridge: [bridge-rule]"),
        ("  half:", "  halve:"),
    ],
)
def test_a_wrong_name_in_the_file_is_told_with_its_line(tmp_path: Path, old: str, new: str) -> None:
    text = FILE.read_text(encoding="utf-8")
    path = tmp_path / "packet_path.yml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(FileError) as caught:
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
