"""The packet path against the manual's lists, the labs' RouterOS files, and what was measured."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from ppslab.core import paths
from ppslab.core.errors import FileError
from ppslab.course.widgets.facts import packet_path
from ppslab.course.widgets.facts.packet_path import FILE, facts, manual
from ppslab.model import manual as sources
from ppslab.model.lab import lab as labs
from rosexplain import base
from rosexplain.decide import NAMES
from tests.course.models.both import ask

FAST = {"fast-path", "bridge-fast-path"}


def asked(**inputs: Any) -> dict[str, Any]:
    """The inputs; the features of a bridge have a control of their own."""
    if inputs.get("way") == "bridged" and "features" in inputs:
        inputs["on_bridge"] = inputs.pop("features")
    return inputs


def way(**inputs: Any) -> str:
    return str(ask("packet-path", **asked(**inputs))["values"]["way"])


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
    menus = {
        "/ip/firewall/filter": "rules",
        "/ip/firewall/nat": "nat",
        "/queue/simple": "simple-queues",
        "/interface/bridge/filter": "bridge-rules",
    }
    features = [feature for menu, feature in menus.items() if menu in text]
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


CASES = yaml.safe_load(Path(__file__).with_name("paths.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("inputs", "path", "first"), CASES)
def test_the_path_and_the_rules_that_decide_it(
    inputs: dict[str, Any], path: str, first: list[str]
) -> None:
    assert way(**inputs) == path
    assert rules(**inputs)[: len(first)] == first


def test_what_a_rule_says_besides() -> None:
    assert "fast-path-hardware-queue" in rules(queue="other")
    assert rules(driver="bond")[-1] == "fast-path-bond"
    # Packet Flow in RouterOS, FastTrack: "it works only with the main routing table".
    assert "fasttrack-main-table" in rules(fasttrack=True)
    assert ask("packet-path", fasttrack=True, tracking="no")["problem"]["input"] == "tracking"
    untracked = ask("packet-path", features=["rules"], tracking="no")
    assert "tracking" not in untracked["values"]["works"]


def test_what_fasttrack_and_the_chip_bypass_is_named_and_a_tool_stops_fasttrack() -> None:
    for feature in ("rules", "simple-queues", "ipsec", "hotspot", "vrf"):
        answer = ask("packet-path", fasttrack=True, features=[feature])
        assert any("bypasses" in sentence for sentence in answer["warns"]), feature
        assert {"tracking", "nat", "routing"} <= set(answer["values"]["works"]), feature
    answer = ask("packet-path", chip="routes", features=["rules", "simple-queues", "sniffer"])
    assert answer["values"]["works"] == ["in", "chip", "out"]
    assert "firewall rules" in answer["warns"][0] and "sniffer" not in answer["warns"][0]
    for tool in ("sniffer", "torch", "generator", "scan", "mesh"):
        assert way(fasttrack=True, features=[tool]) == "slow"
        assert rules(fasttrack=True, features=[tool])[0].startswith("fasttrack-")


def test_fast_forward_has_eleven_conditions() -> None:
    told = {name for name in sources.load() if name.startswith("fast-forward-")}
    assert len(told) == 12  # and that it learns nothing
    # Hardware offload takes the frame before Fast Forward is asked; snooping closes more than it.
    before = {"fast-forward-no-chip", "fast-forward-no-snooping"}
    assert told - {*packet_path.rules()} == {*before, "fast-forward-learns-nothing"}


def test_the_fast_path_lab_agrees() -> None:
    """Its Linux stand-in goes around the stack exactly where RouterOS would."""
    for name, condition in labs.find("fastpath").conditions.items():
        found = way(**configured("fastpath", name))
        assert (found in FAST) == (condition.linux.bpf is not None), name


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


def test_every_decision_names_a_rule_and_every_rule_decides_something() -> None:
    every: list[dict[str, Any]] = [inputs for inputs, _, _ in CASES]
    for chip, packet, driver, fasttrack in itertools.product(
        ("none", "routes", "fasttrack"), ("established", "other", "fragment", "last-hop"),
        ("both", "none", "bond"), (True, False),
    ):  # fmt: skip
        words = {"chip": chip, "packet": packet, "driver": driver, "fasttrack": fasttrack}
        every.append({**words, "queue": "other", "fits": packet == "other"})
    every += [{"features": [feature.name], "fasttrack": True} for feature in manual().features]
    every += [{"features": [feature.name]} for feature in manual().features]
    every.append({"way": "bridged", "allow": False})
    named = {rule for inputs in every for rule in rules(**inputs)}
    assert named == set(packet_path.rules()) - set(manual().beside)


def test_every_way_says_where_a_router_shows_it() -> None:
    assert set(manual().seen) == set(NAMES)


def test_a_step_is_a_station() -> None:
    whole, third = ask("packet-path"), ask("packet-path", at=3)
    assert whole["steps"] == len(whole["tables"][1]["rows"])
    assert third["says"][-1].startswith("Station 3, Address translation")
    passed = [one["figures"][0]["svg"].count("path-pending") for one in (third, whole)]
    assert passed == [whole["steps"] - 3, 0]


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


def test_every_list_that_closes_the_fast_path_is_in_a_rule() -> None:
    closing = {f["menu"] for f in facts()["details"] if "ip" in f["closes"]}
    asked = {
        menu for rule in base.rules().values() if rule["closes"].get("ip") for menu in rule["menus"]
    }
    assert closing <= asked


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
