"""Words and menus that a RouterOS version lacks; and how the router is asked at all."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from ppslab.core.errors import BackendError, CannotHereError, UsageError
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros import checks
from ppslab.testbed.routers.routeros.api import Api
from ppslab.testbed.routers.routeros.checks import Needs, check
from ppslab.testbed.routers.routeros.rsc import script
from tests.support.doubles.routeros_rest import Server
from tests.testbed.routers.routeros.checks.asking import fit, found, named

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


def test_a_device_that_half_booted_is_no_router_yet() -> None:
    device = fit()
    device.fault("half-booted", "/interface/ethernet")
    with pytest.raises(BackendError, match="a list of rows is wanted"):
        found(device)


def test_a_wrong_password_and_a_silent_address_are_said() -> None:
    device = fit(password="horse")
    with Server(device) as server:
        api = Api(RouterOS(url=server.url, password=SecretStr("battery")))
        with pytest.raises(UsageError) as refused:
            check(api)
        assert "battery" not in str(refused.value)
    with pytest.raises(CannotHereError):
        check(Api(RouterOS(url=server.url)))
