"""The packet path against the manual's lists, the labs' RouterOS files, and what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ppslab import analysis, results
from ppslab import lab as labs
from ppslab.errors import FileError
from ppslab.models.packet_way import SAID
from ppslab.routers.routeros import checks_fast_path
from ppslab.widgets.facts_packet_path import FILE, facts, manual
from tests.models.both import ask, both

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
    lab = labs.find("fastpath")
    record = results.newest("fastpath")
    assert record is not None
    ways: dict[str, str] = {}
    for name, condition in lab.conditions.items():
        found = way(**configured("fastpath", name))
        assert (found in FAST) == (condition.linux.bpf is not None), name
        ways[name] = found
    for kind in ("routing", "bridging"):
        costs = {
            name: analysis.cost(record, name, 64).estimate for name in ways if name.startswith(kind)
        }
        fast = max(cost for name, cost in costs.items() if ways[name] in FAST)
        assert fast < min(cost for name, cost in costs.items() if ways[name] not in FAST)


def test_the_fasttrack_lab_agrees() -> None:
    """Where connection tracking must show offloaded connections, the way is FastTrack."""
    packets = {"unanswered": "first", "other-protocol": "other"}
    for name, condition in labs.find("fasttrack").conditions.items():
        if "ipv6" in name:
            continue
        packet = next((packets[word] for word in packets if name.endswith(word)), "established")
        found = way(packet=packet, **configured("fasttrack", name))
        assert (found == "fasttrack") == bool(condition.linux.expect.offloaded), name


def test_the_doctor_asks_for_every_list_that_closes_the_fast_path() -> None:
    closing = {f["menu"] for f in facts()["details"] if "ip" in f["closes"]}
    asked = {menu for menu, _, _ in checks_fast_path.LISTS}
    assert asked <= closing
    # What is no list: commands that run, and the firewall, which it asks table by table.
    assert {m for m in closing - asked if not m.startswith("/tool/")} == {
        "/ip/firewall/filter",
        "/ip/firewall/nat",
    }


@pytest.mark.parametrize(
    ("feature", "rule"),
    [
        ("rules", "fp-firewall"),
        ("nat", "fp-firewall"),
        ("simple-queues", "fp-queues"),
        ("queue-tree", "fp-queues"),
        ("vrf", "fp-vrf"),
        ("ipsec", "fp-ipsec"),
        ("hotspot", "fp-hotspot"),
        ("mesh", "fp-mesh"),
        ("sniffer", "fp-tools"),
        ("torch", "fp-tools"),
        ("scan", "fp-tools"),
    ],
)
def test_each_condition_of_the_manual_closes_the_fast_path(feature: str, rule: str) -> None:
    assert way() == "fast-path"
    assert way(features=[feature]) == "slow"
    assert rules(features=[feature])[0] == rule


@pytest.mark.parametrize(
    ("feature", "rule"),
    [
        ("bridge-rules", "br-rules"),
        ("use-ip-firewall", "br-ip-firewall"),
        ("dhcp-snooping", "br-snooping"),
        ("mesh", "fp-mesh"),
        ("sniffer", "br-tools"),
        ("torch", "br-tools"),
        ("generator", "br-tools"),
    ],
)
def test_and_each_of_the_bridge(feature: str, rule: str) -> None:
    assert way(way="bridged") == "bridge-fast-path"
    assert way(way="bridged", two_ports=True) == "fast-forward"
    assert way(way="bridged", two_ports=True, bridge_chip="bridges") == "chip"
    assert way(way="bridged", two_ports=True, features=[feature]) == "slow"
    assert rules(way="bridged", features=[feature]) == [rule]


def test_tracking_counts_only_where_it_is_active() -> None:
    assert way(tracking="yes") == "slow"
    assert rules(tracking="yes") == ["fp-tracking"]
    assert rules(features=["rules"]) == ["fp-firewall", "fp-tracking"]
    assert rules(features=["rules"], tracking="no") == ["fp-firewall"]
    assert (
        "tracking" not in ask("packet-path", features=["rules"], tracking="no")["values"]["works"]
    )


def test_fasttrack_takes_tcp_and_udp_that_was_answered() -> None:
    assert way(fasttrack=True) == "fasttrack"
    assert rules(fasttrack=True, packet="other")[0] == "ft-kinds"
    assert rules(fasttrack=True, packet="first")[0] == "ft-established"
    assert rules(fasttrack=True, packet="fragment") == ["fp-fragments"]


@pytest.mark.parametrize("feature", ["sniffer", "torch", "generator", "scan", "mesh"])
def test_what_stops_fasttrack(feature: str) -> None:
    assert way(fasttrack=True, features=[feature]) == "slow"
    assert rules(fasttrack=True, features=[feature])[0].startswith("ft-")


@pytest.mark.parametrize(
    "feature", ["rules", "simple-queues", "queue-tree", "ipsec", "hotspot", "vrf"]
)
def test_what_fasttrack_goes_around(feature: str) -> None:
    answer = ask("packet-path", fasttrack=True, features=[feature])
    assert answer["values"]["way"] == "fasttrack"
    assert any("goes around" in said for said in answer["warns"])
    assert {"tracking", "nat", "routing"} <= set(answer["values"]["works"])


def test_fasttrack_without_tracking_is_told() -> None:
    problem = ask("packet-path", fasttrack=True, tracking="no")["problem"]
    assert problem["input"] == "tracking"


def test_ports_decide_how_far_it_goes() -> None:
    assert rules(driver="none") == ["fp-driver"]
    assert way(driver="in") == "half"
    assert "fp-queue" in rules(queue="other")
    assert way(queue="other") == "fast-path"
    assert rules(allow=False) == ["fp-allow"]
    assert rules(packet="fragment") == ["fp-fragments"]
    assert rules(packet="last-hop") == ["icmp"]


def test_the_chip_sees_no_rules_and_hands_over_what_it_cannot() -> None:
    answer = ask("packet-path", chip="routes", features=["rules", "simple-queues", "sniffer"])
    assert answer["values"]["way"] == "chip"
    assert answer["values"]["works"] == ["in", "chip", "out"]
    assert "firewall rules" in answer["warns"][0]
    assert "sniffer" not in answer["warns"][0]
    assert rules(chip="routes", fits=False) == ["hw-full", "fp-open"]
    assert rules(chip="routes", packet="last-hop")[0] == "hw-icmp"
    assert way(chip="fasttrack", fasttrack=True) == "chip-fasttrack"
    assert way(chip="fasttrack", fasttrack=True, packet="first") == "slow"
    assert way(chip="fasttrack", fasttrack=True, features=["torch"]) == "slow"
    assert rules(chip="fasttrack") == ["hw-fasttrack", "fp-open"]


def test_every_decision_names_a_rule_and_every_rule_decides_something() -> None:
    named: set[str] = set()
    packets = ("established", "first", "other", "fragment", "last-hop")
    for chip in ("none", "routes", "fasttrack"):
        for packet in packets:
            for driver in ("both", "in", "none"):
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
    named |= set(rules(allow=False))
    assert named == set(manual().rules)


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
            "at: queues, closes: {ip: fp-queues}",
            "at: queue, closes: {ip: fp-queues}",
            "did you mean",
        ),
        ("closes: {ip: fp-vrf}", "closes: {ip: fp-vfr}", 'did you mean "fp-vrf"'),
        ("fp-half: {section: fast-path", "fp-half: {section: fastpath", "no section 'fastpath'"),
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
    ]
    assert len(both("packet-path", every)) == len(every)
