"""Everything that closes a fast path is found, and named by its rule."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ppslab.course.widgets.facts import packet_path
from ppslab.model.packet_path import rules
from ppslab.testbed.routers.routeros.checks import Needs, check, fast_path
from ppslab.testbed.routers.routeros.checks.fast_path import facts_of
from tests.support.doubles.routeros_rest import Device
from tests.testbed.routers.routeros.checks.asking import fit, found, named, talking


def _filter(device: Device) -> None:
    device.tree.add("/ip/firewall/filter", {"chain": "forward", "action": "accept"})


def _tracking(device: Device) -> None:
    device.tree.set("/ip/firewall/connection/tracking", "", {"enabled": "yes"})


def _queue(device: Device) -> None:
    device.tree.add("/queue/simple", {"name": "q", "target": "198.18.1.2/32"})


def _tree(device: Device) -> None:
    device.tree.add("/queue/tree", {"name": "t", "parent": "global"})


def _mesh(device: Device) -> None:
    device.tree.add("/interface/mesh", {"name": "m"})


def _vrf(device: Device) -> None:
    device.tree.add("/ip/vrf", {"name": "red", "interfaces": "ether2"})


def _hotspot(device: Device) -> None:
    device.tree.add("/ip/hotspot", {"name": "h", "interface": "ether2"})


def _policy(device: Device) -> None:
    words = {"src-address": "198.18.1.0/24", "dst-address": "198.18.2.0/24"}
    device.tree.add("/ip/ipsec/policy", words)


def _sniffer(device: Device) -> None:
    device.tree.singles["/tool/sniffer"]["running"] = "true"


def _not_allowed(device: Device) -> None:
    device.tree.set("/ip/settings", "", {"allow-fast-path": "no"})


CLOSES: dict[str, Callable[[Device], None]] = {
    "allow-fast-path=no": _not_allowed,
    "firewall rules (filter, mangle or raw): 1 in /ip/firewall/filter": _filter,
    "connection tracking (enabled=yes)": _tracking,
    "simple queues: 1 in /queue/simple (q)": _queue,
    "a queue tree with parent=global: 1 in /queue/tree (t)": _tree,
    "a mesh interface: 1": _mesh,
    "a VRF: 1 in /ip/vrf (red)": _vrf,
    "a hotspot: 1": _hotspot,
    "an IPsec policy: 1": _policy,
    "the sniffer": _sniffer,
}


@pytest.mark.parametrize("why", CLOSES)
def test_each_condition_that_closes_the_fast_path_is_named(why: str) -> None:
    device = fit()
    CLOSES[why](device)
    findings = named(found(device), "fast path IPv4")
    said = [finding.said for finding in findings]
    assert all(finding.state == "spoils" and finding.remedy for finding in findings)
    # By the same facts of the manual as the widget and the chapter.
    assert {finding.fact for finding in findings} <= {*packet_path.rules()}
    assert any(each.startswith(f"closed by {why}") for each in said), said
    # A rule brings tracking with it, for `auto` tracks from the first rule on.
    assert len(said) == (2 if CLOSES[why] is _filter else 1)


def test_what_closes_the_fast_path_of_ipv6_is_named() -> None:
    device = fit()
    (finding,) = named(found(device), "fast path IPv6")
    assert finding.state == "ok"
    device.tree.add("/ipv6/firewall/filter", {"chain": "forward", "action": "accept"})
    device.tree.set("/ipv6/settings", "", {"allow-fast-path": "no"})
    said = [finding.said for finding in named(found(device), "fast path IPv6")]
    assert said[:2] == [
        "closed by allow-fast-path=no",
        "closed by firewall rules: 1 in /ipv6/firewall/filter",
    ]
    assert said[2].startswith("closed by connection tracking (enabled=auto")


def test_a_rule_that_is_off_closes_nothing() -> None:
    device = fit()
    rule = {"chain": "forward", "action": "accept", "disabled": "yes"}
    device.tree.add("/ip/firewall/filter", rule)
    (finding,) = named(found(device), "fast path IPv4")
    assert finding.state == "ok"


def test_every_rule_that_closes_a_path_is_asked_of_the_router() -> None:
    """One rule base: what `explain` reads in an export, this reads in the router's own rows."""
    asked: list[str] = []
    device = fit()
    device.tree.add("/interface/bridge", {"name": "br1"})
    with talking(device) as api:
        rows, settings = api.rows, api.settings
        api.rows = lambda menu, *words: asked.append(menu) or rows(menu, *words)  # type: ignore[method-assign, func-returns-value]
        api.settings = lambda menu: asked.append(menu) or settings(menu)  # type: ignore[method-assign, func-returns-value]
        check(api, Needs(here=False))
    for name, kept in rules.load().rules.items():
        closes = {"ip", "bridge"} & set(kept.rule.closes)
        if closes and not kept.rule.until and not {*kept.rule.menus} & {*fast_path.COMMANDS}:
            assert {*kept.rule.menus} <= {*asked}, name


def test_a_check_asks_once_for_each_menu_and_the_next_one_asks_anew() -> None:
    asked: list[str] = []
    device = fit()
    with talking(device) as api:
        facts = facts_of(api)
        ask = api.ask
        api.ask = lambda method, path, **how: asked.append(path) or ask(method, path, **how)  # type: ignore[method-assign, func-returns-value]
        assert [each.state for each in fast_path.of_ipv4(api, facts, Needs(here=False))] == ["ok"]
        once = sorted(asked)
        assert len(once) > 20 and len({*once}) == len(once)
        device.tree.put("/queue/simple", {"name": "q1", "disabled": "false"})
        (finding,) = fast_path.of_ipv4(api, facts, Needs(here=False))
    assert finding.said == "closed by simple queues: 1 in /queue/simple (q1)"
    assert sorted(asked) == sorted([*once, *once])


def test_a_queue_of_a_session_closes_the_fast_path_too() -> None:
    device = fit()
    queue = {"name": "<pppoe-u>", "dynamic": "true", "disabled": "false"}
    device.tree.put("/queue/simple", queue)
    (finding,) = named(found(device), "fast path IPv4")
    assert finding.said == "closed by simple queues: 1 in /queue/simple (<pppoe-u>)"


def test_a_closed_path_that_nothing_explains_is_not_explained(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tests.support.doubles import routeros_traffic

    monkeypatch.setattr(routeros_traffic, "closes", lambda menus: iter(["torch"]))
    (finding,) = named(found(fit()), "fast path IPv4")
    assert finding.state == "spoils"
    assert "/tool/torch" in finding.said


def test_a_run_that_wants_no_fast_path_is_only_warned() -> None:
    device = fit()
    _tracking(device)
    (finding,) = named(found(device, Needs(fast_path=False)), "fast path IPv4")
    assert finding.state == "warns"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"dhcp-snooping": "yes"}, "dhcp-snooping=yes: 1 in /interface/bridge (br1)"),
        ({}, "use-ip-firewall=yes on bridges"),
        ({}, "bridge filter or bridge NAT rules: 1 in /interface/bridge/filter"),
    ],
)
def test_what_closes_the_fast_path_of_bridges_is_named(words: dict[str, str], why: str) -> None:
    device = fit()
    assert not named(found(device), "fast path of bridges"), "there is no bridge"
    device.tree.add("/interface/bridge", {"name": "br1", **words})
    if "use-ip" in why:
        device.tree.set("/interface/bridge/settings", "", {"use-ip-firewall": "yes"})
    elif "rule" in why:
        device.tree.add("/interface/bridge/filter", {"chain": "forward", "action": "accept"})
    findings = named(found(device), "fast path of bridges")
    assert [finding.said for finding in findings] == [f"closed by {why}"]
    assert {finding.fact for finding in findings} <= {*packet_path.rules()}


def test_a_queue_of_an_interface_is_no_more_than_a_warning() -> None:
    device = fit()
    (finding,) = named(found(device), "interface queues")
    assert finding.state == "ok"
    number = next(iter(device.tree.items("/queue/interface")))
    words = {"queue": "ethernet-default", "active-queue": "ethernet-default"}
    device.tree.items("/queue/interface")[number] |= words
    (finding,) = named(found(device), "interface queues")
    assert (finding.state, "ether1 ethernet-default" in finding.said) == ("warns", True)
