"""What the doctor and each run check of a RouterOS router, on the double."""

from __future__ import annotations

from typing import Any

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


def fit(**words: Any) -> Device:
    """A CHR that nothing spoils."""
    return Device(**{"level": "p-unlimited", "version": "7.20.8 (long-term)", **words})


def found(device: Device, needs: Needs | None = None) -> list[Finding]:
    with Server(device) as server:
        api = Api(RouterOS(url=server.url, password=SecretStr(device.password)))
        findings = check(api, needs or Needs(here=False))
        api.close()
    ways = {(method, path) for method, path, _ in device.requests if method != "GET"}
    assert ways <= {("POST", "/rest/console/inspect")}, "looking changes nothing"
    return findings


def named(findings: list[Finding], name: str) -> list[Finding]:
    return [finding for finding in findings if finding.name == name]


# --- what closes a fast path ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("menu", "word", "name"),
    [
        ("/ip/settings", "ipv4-fast-path-active", "fast path IPv4"),
        ("/ipv6/settings", "ipv6-fast-path-active", "fast path IPv6"),
        ("/interface/bridge/settings", "bridge-fast-path-active", "fast path of bridges"),
    ],
)
def test_a_fast_path_is_as_the_router_reports_it(menu: str, word: str, name: str) -> None:
    device = fit()
    device.tree.add("/interface/bridge", {"name": "br1"})
    assert not spoiled(found(device))
    device.tree.singles[menu][word] = "false"
    (closed,) = spoiled(found(device))
    assert closed.name == name and "ppslab explain" in closed.remedy


def test_without_a_bridge_or_ipv6_nothing_is_said_about_theirs() -> None:
    device = fit()
    device.tree.singles["/ipv6/settings"]["disable-ipv6"] = "true"
    names = {finding.name for finding in found(device)}
    assert "fast path IPv4" in names and not names & {"fast path IPv6", "fast path of bridges"}


# --- the machine of a CHR -------------------------------------------------------------------------


def test_nothing_spoils_a_fit_chr() -> None:
    findings = found(fit())
    assert not spoiled(findings), findings
    assert [finding.name for finding in findings if finding.state == "unknown"] == ["kvm"]
    assert {finding.name for finding in findings} <= {name for name, _ in checks.CHECKS}


@pytest.mark.parametrize(
    ("words", "name", "state"),
    [
        ({"level": "free"}, "licence", "spoils"),
        ({"level": "p1"}, "licence", "warns"),
        ({}, "licence", "ok"),
        ({"level": None}, "licence", "ok"),
        ({"level": "p100"}, "licence", "unknown"),
        ({"load": 10}, "load", "ok"),
        ({"load": 11}, "load", "warns"),
        ({"memory": 1024 * MIB}, "memory", "ok"),
        ({"memory": 1008 * MIB}, "memory", "ok"),  # a firmware keeps up to 16 MB
        ({"memory": 1007 * MIB}, "memory", "warns"),
        # The manual's formula: 512 + 8 * 4 * 7 = 736, less the firmware's.
        ({"cpus": 4, "ports": 8, "memory": 720 * MIB}, "memory", "warns"),
        ({"cpus": 4, "ports": 8, "memory": 719 * MIB}, "memory", "spoils"),
        ({"memory": 256 * MIB}, "memory", "spoils"),  # what vrnetlab gives
        ({"cpus": 16, "ports": 9, "memory": 1024 * MIB}, "memory", "spoils"),  # 1536
    ],
)
def test_what_a_machine_and_its_licence_are_judged_as(
    words: dict[str, Any], name: str, state: str
) -> None:
    words = dict(words)
    ports = tuple(f"ether{n + 1}" for n in range(words.pop("ports", 4)))
    (finding,) = named(found(fit(interfaces=ports, **words)), name)
    assert finding.state == state, finding
    assert finding.said and bool(finding.remedy) == (state in ("spoils", "warns"))


@pytest.mark.parametrize(("level", "counters"), [("free", True), ("p1", False), (None, False)])
def test_with_the_free_licence_only_counters_are_judged(level: str | None, counters: bool) -> None:
    with Server(fit(level=level)) as server:
        api = Api(RouterOS(url=server.url))
        known = licence(api)
        api.close()
    assert known is not None
    assert known.counters_only == counters == ("counters" in known.said)


@pytest.mark.parametrize(
    ("here", "answer", "state"),
    [
        (True, KvmAnswer(False, "no /dev/kvm"), "spoils"),
        (True, KvmAnswer(True, "a guest booted"), "ok"),
        (True, None, "unknown"),
        (False, KvmAnswer(True, "a guest booted"), "unknown"),
        (None, KvmAnswer(True, "a guest booted"), "unknown"),
    ],
)
def test_kvm_of_this_machine_is_what_a_boot_has_shown(
    monkeypatch: pytest.MonkeyPatch, here: bool | None, answer: KvmAnswer | None, state: str
) -> None:
    """That /dev/kvm opens proves nothing: QEMU may die on it all the same."""
    monkeypatch.setattr(checks, "known", lambda: answer)
    (finding,) = named(found(fit(), Needs(here=here)), "kvm")
    assert finding.state == state
    assert bool(finding.remedy) == (state != "ok")
    assert not named(found(fit(board="RB4011", level=None), Needs(here=here)), "kvm")


# --- versions, and how it is asked ----------------------------------------------------------------


RULES = """/ip/firewall/filter
add chain=forward action=accept
add chain=forward action=fasttrack-connection hw-offload=yes
"""
SWITCH = "/interface/ethernet/switch set 0 l3-hw-offloading=yes\n"
OTHER = "/ip/settings set rp-filtre=no\n"


@pytest.mark.parametrize(
    ("version", "board", "text", "said", "remedy"),
    [
        ("7.20.8 (long-term)", "CHR", RULES, "", ""),
        ("7.21.4 (stable)", "CHR", RULES, "x.rsc:3: RouterOS 7.21.4 has no hw-offload", "a CHR"),
        ("7.21.4 (stable)", "CCR2116", RULES, "", ""),
        ("7.20.8", "CHR", SWITCH, "x.rsc:1:", "no switch chip"),
        ("7.20.8", "CHR", OTHER * 2, "x.rsc:1: RouterOS 7.20.8 has no rp-filtre", "leave it out"),
    ],
)  # fmt: skip
def test_a_word_that_the_router_lacks_is_found_with_its_line(
    version: str, board: str, text: str, said: str, remedy: str
) -> None:
    chr_ = board == "CHR"
    device = fit(version=version, board=board, hardware=not chr_, level="p1" if chr_ else None)
    told = script.statements(text, "x.rsc")
    (finding,) = named(found(device, Needs(statements=told)), "version")
    assert finding.state == ("spoils" if said else "ok")
    assert finding.said.startswith(said) and remedy in finding.remedy


def test_more_words_than_eight_are_counted() -> None:
    text = "".join(f"/ip/settings set word{number}=x\n" for number in "abcdefghij")
    findings = named(found(fit(), Needs(statements=script.statements(text, "x"))), "version")
    assert len(findings) == checks.MOST + 1 and findings[-1].said.startswith("2 more")


def test_an_old_version_has_no_fast_path_for_ipv6() -> None:
    findings = found(fit(version="7.17.1 (stable)"))
    (finding,) = named(findings, "fast path IPv6")
    assert (finding.state, "7.18" in finding.said) == ("warns", True)
    assert any(finding.state == "warns" for finding in named(findings, "version"))


def test_a_check_that_is_refused_says_so_and_the_others_go_on() -> None:
    device = fit()
    device.fault("refuses", "/system/license", detail="not enough permissions (9)")
    findings = found(device)
    (finding,) = named(findings, "licence")
    assert (finding.state, "not enough permissions (9)" in finding.said) == ("unknown", True)
    names = {name for name, _ in checks.CHECKS} - {finding.name for finding in findings}
    assert names == {"fast path of bridges"}
