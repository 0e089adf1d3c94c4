"""What the doctor and each run check of a RouterOS router, on the double."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pydantic import SecretStr

from ppslab.testbed.backends.capabilities.tools import KvmAnswer
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros import checks
from ppslab.testbed.routers.routeros.api import Api
from ppslab.testbed.routers.routeros.checks import Finding, Needs, check, spoiled
from ppslab.testbed.routers.routeros.read_back import licence
from ppslab.testbed.routers.routeros.rsc import script
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


FAST_PATHS = {
    "/ip/firewall/filter": {"fast path IPv4", "fast path IPv6"},
    "/ipv6/firewall/filter": {"fast path IPv4", "fast path IPv6"},
    "/interface/bridge/filter": {"fast path of bridges"},
}
"""What a rule there closes: with a firewall's first rule, both families are tracked."""


@pytest.mark.parametrize("menu", FAST_PATHS)
def test_a_closed_fast_path_is_found(menu: str) -> None:
    device = fit()
    device.tree.add("/interface/bridge", {"name": "br1"})
    assert not spoiled(found(device))
    device.tree.add(menu, {"chain": "forward", "action": "accept"})
    closed = spoiled(found(device))
    assert {finding.name for finding in closed} == FAST_PATHS[menu]
    assert all("ppslab explain" in finding.remedy for finding in closed)


def test_without_a_bridge_or_ipv6_nothing_is_said_about_theirs() -> None:
    device = fit()
    device.tree.set("/ipv6/settings", "", {"disable-ipv6": "yes"})
    names = {finding.name for finding in found(device)}
    assert "fast path IPv4" in names and not names & {"fast path IPv6", "fast path of bridges"}


# --- the machine of a CHR -------------------------------------------------------------------------


def test_nothing_spoils_a_fit_chr() -> None:
    findings = found(fit())
    assert not spoiled(findings), findings
    assert [finding.name for finding in findings if finding.state == "unknown"] == ["kvm"]
    assert {finding.name for finding in findings} <= {name for name, _ in checks.CHECKS}


def test_every_finding_that_asks_for_something_says_what_to_do() -> None:
    device = fit(level="free", cpus=4, memory=256 * MIB, load=40)
    rest = found(device)
    bad = [finding for finding in rest if finding.state in ("spoils", "warns")]
    assert {finding.name for finding in bad} == {"licence", "memory", "load"}
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
