"""What the doctor and each run check of a RouterOS router, on the double."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pydantic import SecretStr

from ppslab.course.widgets.facts import packet_path
from ppslab.testbed.backends.capabilities.tools import KvmAnswer
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros import checks
from ppslab.testbed.routers.routeros.api import Api
from ppslab.testbed.routers.routeros.checks import Finding, Needs, check, spoiled
from ppslab.testbed.routers.routeros.read_back import licence
from ppslab.testbed.routers.routeros.rsc import script
from rosexplain.base import rules
from tests.support.doubles.routeros_rest import Device, Server

MIB = 1 << 20


def fit(**words: object) -> Device:
    """A CHR that nothing spoils."""
    told: dict[str, object] = {"level": "p-unlimited", "version": "7.20.8 (long-term)", "pace": 0.0}
    device = Device(**{**told, **words})  # type: ignore[arg-type]
    # With what RouterOS's default tracks, "auto", an empty firewall tracks nothing.
    return device


@contextmanager
def talking(device: Device) -> Iterator[Api]:
    """An api to the device."""
    with Server(device) as server:
        api = Api(RouterOS(url=server.url, password=SecretStr(device.password)))
        yield api
        api.close()


def found(device: Device, needs: Needs | None = None) -> list[Finding]:
    with talking(device) as api:
        return check(api, needs or Needs(here=False))


def named(findings: list[Finding], name: str) -> list[Finding]:
    return [finding for finding in findings if finding.name == name]


# --- what closes a fast path ----------------------------------------------------------------------


FILTER = ("/ip/firewall/filter", {"chain": "forward", "action": "accept"})
TRACKING = ("/ip/firewall/connection/tracking", {"enabled": "yes"})
POLICY = {"src-address": "198.18.1.0/24", "dst-address": "198.18.2.0/24"}

CLOSES: list[tuple[str, dict[str, str], str]] = [
    ("/ip/settings", {"allow-fast-path": "no"}, "allow-fast-path=no"),
    (*FILTER, "1 in /ip/firewall/filter"),
    (*TRACKING, "enabled=yes"),
    ("/queue/simple", {"name": "q", "target": "198.18.1.2/32"}, "1 in /queue/simple (q)"),
    ("/queue/tree", {"name": "t", "parent": "global"}, "1 in /queue/tree (t)"),
    ("/interface/mesh", {"name": "m"}, ""),
    ("/ip/vrf", {"name": "red", "interfaces": "ether2"}, "1 in /ip/vrf (red)"),
    ("/ip/hotspot", {"name": "h", "interface": "ether2"}, ""),
    ("/ip/ipsec/policy", POLICY, ""),
    ("/tool/sniffer", {"running": "true"}, ""),
]


def configure(device: Device, menu: str, words: dict[str, str]) -> None:
    """Make a row, or change the settings of a menu that has none."""
    if menu == "/tool/sniffer":  # a command starts it, and no setting
        device.tree.singles[menu] |= words
    elif menu in device.tree.singles:
        device.tree.set(menu, "", words)
    else:
        device.tree.add(menu, words)


@pytest.mark.parametrize(("menu", "words", "where"), CLOSES)
def test_each_condition_that_closes_the_fast_path_is_named(
    menu: str, words: dict[str, str], where: str
) -> None:
    device = fit()
    configure(device, menu, words)
    findings = named(found(device), "fast path IPv4")
    said = [finding.said for finding in findings]
    assert all(finding.state == "spoils" and finding.remedy for finding in findings)
    # By the same facts of the manual as the widget and the chapter.
    assert {finding.fact for finding in findings} <= {*packet_path.rules()}
    assert any(where in each for each in said), said
    # A rule brings tracking with it, for `auto` tracks from the first rule on.
    assert len(said) == (2 if (menu, words) == FILTER else 1)


def test_what_closes_the_fast_path_of_ipv6_is_named() -> None:
    device = fit()
    (finding,) = named(found(device), "fast path IPv6")
    assert finding.state == "ok"
    device.tree.add("/ipv6/firewall/filter", {"chain": "forward", "action": "accept"})
    device.tree.set("/ipv6/settings", "", {"allow-fast-path": "no"})
    settings, rules_, tracking = (f.said for f in named(found(device), "fast path IPv6"))
    assert "allow-fast-path=no" in settings
    assert "/ipv6/firewall/filter" in rules_
    assert "enabled=auto" in tracking


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
    for name, rule in rules().items():
        closes = {"ip", "bridge"} & set(rule["closes"])
        if closes and not rule["until"] and not {*rule["menus"]} & {*checks.COMMANDS}:
            assert {*rule["menus"]} <= {*asked}, name


def test_a_closed_path_that_nothing_explains_is_not_explained(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tests.support.doubles import routeros_traffic

    monkeypatch.setattr(routeros_traffic, "is_open", lambda menus: False)
    (finding,) = named(found(fit()), "fast path IPv4")
    assert finding.state == "spoils"
    assert "/tool/torch" in finding.said


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"dhcp-snooping": "yes"}, "1 in /interface/bridge (br1)"),
        ({}, "use-ip-firewall=yes"),
        ({}, "1 in /interface/bridge/filter"),
    ],
)
def test_what_closes_the_fast_path_of_bridges_is_named(words: dict[str, str], why: str) -> None:
    device = fit()
    assert not named(found(device), "fast path of bridges"), "there is no bridge"
    device.tree.add("/interface/bridge", {"name": "br1", **words})
    if "use-ip" in why:
        device.tree.set("/interface/bridge/settings", "", {"use-ip-firewall": "yes"})
    elif "filter" in why:
        device.tree.add("/interface/bridge/filter", {"chain": "forward", "action": "accept"})
    findings = named(found(device), "fast path of bridges")
    assert [why in finding.said for finding in findings] == [True]
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


# --- the machine of a CHR -------------------------------------------------------------------------


def test_nothing_spoils_a_fit_chr() -> None:
    findings = found(fit())
    assert not spoiled(findings), findings
    assert [finding.name for finding in findings if finding.state == "unknown"] == ["kvm"]
    assert {finding.name for finding in findings} <= {name for name, _ in checks.CHECKS}


def test_every_finding_that_asks_for_something_says_what_to_do() -> None:
    device = fit(level="free", cpus=4, memory=256 * MIB, card="e1000", load=40)
    rest = found(device)
    bad = [finding for finding in rest if finding.state in ("spoils", "warns")]
    assert {finding.name for finding in bad} == {
        "licence", "memory", "cards", "queues", "load",
    }  # fmt: skip
    assert all(finding.said and finding.remedy for finding in bad)


@pytest.mark.parametrize(
    ("level", "state", "counters"),
    [("free", "spoils", True), ("p1", "warns", False), ("p-unlimited", "ok", False),
     (None, "ok", False)],
)  # fmt: skip
def test_the_licence_says_what_a_run_can_say(level: str | None, state: str, counters: bool) -> None:
    device = fit(level=level)
    with talking(device) as api:
        known = licence(api)
        (finding,) = named(check(api), "licence")
    assert known is not None
    assert (finding.state, known.counters_only) == (state, counters)
    assert ("counters" in finding.said) == counters


@pytest.mark.parametrize(
    ("board", "confirmed_by"), [("CHR", "system_reset"), ("CRS326-24G-2S+", "button")]
)
def test_a_suspected_configuration_is_confirmed_at_the_device(
    board: str, confirmed_by: str
) -> None:
    device = fit(board=board, level="p1" if board == "CHR" else None)
    device.device_mode["flagged"] = "true"
    suspected, _ = named(found(device), "device-mode")
    assert (suspected.state, confirmed_by in suspected.remedy) == ("warns", True)


@pytest.mark.parametrize(
    ("cpus", "ports", "mib", "state"),
    [
        (1, 4, 1024, "ok"),
        (1, 4, 1008, "ok"),  # a firmware keeps up to 16 MB
        (1, 4, 1007, "warns"),
        (4, 8, 720, "warns"),  # the manual's formula: 512 + 8 * 4 * 7 = 736, less the firmware's
        (4, 8, 719, "spoils"),
        (1, 4, 256, "spoils"),  # what vrnetlab gives
        (16, 9, 1024, "spoils"),  # 512 + 8 * 16 * 8 = 1536
    ],
)
def test_memory_is_judged_by_the_manuals_formula(
    cpus: int, ports: int, mib: int, state: str
) -> None:
    device = fit(
        cpus=cpus, memory=mib * MIB, interfaces=tuple(f"ether{n + 1}" for n in range(ports))
    )
    (finding,) = named(found(device), "memory")
    assert finding.state == state, finding


@pytest.mark.parametrize(("load", "state"), [(0, "ok"), (10, "ok"), (11, "warns")])
def test_a_router_that_is_busy_before_the_run(load: int, state: str) -> None:
    (finding,) = named(found(fit(load=load)), "load")
    assert finding.state == state


@pytest.mark.parametrize(
    ("cpus", "queues", "state"), [(1, 1, "ok"), (2, 1, "warns"), (2, 2, "ok"), (2, 0, "unknown")]
)
def test_one_queue_for_several_cpus_is_found(cpus: int, queues: int, state: str) -> None:
    (finding,) = named(found(fit(cpus=cpus, queues=queues)), "queues")
    assert finding.state == state, finding


@pytest.mark.long
@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (KvmAnswer(False, "no /dev/kvm"), "spoils"),
        (KvmAnswer(True, "a guest booted"), "ok"),
        (None, "unknown"),
    ],
)
def test_kvm_of_this_machine_is_what_a_boot_has_shown(
    monkeypatch: pytest.MonkeyPatch, answer: KvmAnswer | None, state: str
) -> None:
    """That /dev/kvm opens proves nothing: QEMU may die on it all the same."""
    monkeypatch.setattr(checks, "known", lambda: answer)
    (finding,) = named(found(fit(), Needs(here=True)), "kvm")
    assert finding.state == state
    assert bool(finding.remedy) == (state != "ok")


def test_kvm_of_another_machine_is_not_known_from_here() -> None:
    for here in (None, False):
        (finding,) = named(found(fit(), Needs(here=here)), "kvm")
        assert finding.state == "unknown"
    assert not named(found(fit(board="RB4011", level=None)), "kvm")


# --- versions, and how it is asked ----------------------------------------------------------------


RULES = """/ip/firewall/filter
add chain=forward action=accept
add chain=forward action=fasttrack-connection hw-offload=yes
"""


@pytest.mark.parametrize(
    ("version", "board", "lacks"),
    [
        ("7.20.8 (long-term)", "CHR", False),
        ("7.21.4 (stable)", "CHR", True),
        ("7.21.4 (stable)", "CCR2116", False),
    ],
)
def test_a_word_that_the_version_lacks_is_found_with_its_line(
    version: str, board: str, lacks: bool
) -> None:
    chr_ = board == "CHR"
    device = fit(version=version, board=board, hardware=not chr_, level="p1" if chr_ else None)
    told = script.statements(RULES, "routeros/rules.rsc")
    (finding,) = named(found(device, Needs(statements=told)), "version")
    if lacks:
        assert finding.state == "spoils"
        assert finding.said.startswith("routeros/rules.rsc:3: RouterOS 7.21.4 has no hw-offload")
        assert "a CHR has none" in finding.remedy
    else:
        assert finding.state == "ok"


def test_a_menu_that_a_chr_lacks_is_found() -> None:
    told = script.statements("/interface/ethernet/switch set 0 l3-hw-offloading=yes\n", "x.rsc")
    (finding,) = named(found(fit(), Needs(statements=told)), "version")
    assert (finding.state, "no switch chip" in finding.remedy) == ("spoils", True)


def test_an_old_version_has_no_fast_path_for_ipv6() -> None:
    device = fit(version="7.17.1 (stable)")
    findings = found(device)
    (finding,) = named(findings, "fast path IPv6")
    assert (finding.state, "7.18" in finding.said) == ("warns", True)
    assert any(finding.state == "warns" for finding in named(findings, "version"))


def test_a_check_that_is_refused_says_so_and_the_others_go_on() -> None:
    device = fit()
    device.fault("refuses", "/system/license", detail="not enough permissions (9)")
    findings = found(device)
    (finding,) = named(findings, "licence")
    assert (finding.state, "not enough permissions (9)" in finding.said) == ("unknown", True)
    assert {name for name, _ in checks.CHECKS} - {finding.name for finding in findings} == {
        "fast path of bridges"
    }


def test_nothing_is_changed_by_looking() -> None:
    device = fit()
    found(device, Needs(statements=script.statements(RULES, "x.rsc")))
    ways = {(method, path) for method, path, _ in device.requests if method != "GET"}
    assert ways == {("POST", "/rest/console/inspect")}
