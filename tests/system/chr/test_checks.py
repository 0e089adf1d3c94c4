"""What spoils a number of this router is found on it."""

from __future__ import annotations

import pytest

from ppslab.model.lab import lab as labs
from ppslab.testbed.routers.routeros.checks import Finding, Needs, check
from ppslab.testbed.routers.routeros.read_back import LIMITS, licence
from tests.system.chr.conftest import Chr, Make

pytestmark = pytest.mark.guest


def named(chr_: Chr, name: str, needs: Needs | None = None) -> list[Finding]:
    return [finding for finding in check(chr_.api, needs) if finding.name == name]


def test_every_check_has_an_answer(chr_: Chr) -> None:
    findings = check(chr_.api, Needs(here=True))
    for finding in findings:
        assert finding.said
        assert finding.remedy or finding.state in ("ok", "unknown"), finding
    # What the router must know of itself.
    known = {"licence", "memory", "version", "load", "fast path IPv4"}
    unknown = {finding.name for finding in findings if finding.state == "unknown"}
    assert not known & unknown, findings


def test_the_licence_is_one_that_is_known(chr_: Chr) -> None:
    found = licence(chr_.api)
    assert found is not None and found.chr
    assert found.level in LIMITS


@pytest.mark.usefixtures("wires")
def test_a_rule_closes_the_fast_path_of_an_empty_router(chr_: Chr) -> None:
    menu, rule = "/ip/firewall/filter", {"chain": "forward", "action": "accept"}
    states = [named(chr_, "fast path IPv4")[0].state]
    number = chr_.api.add(menu, rule)[".id"]
    try:
        states += [named(chr_, "fast path IPv4")[0].state]
    finally:
        chr_.api.remove(menu, number)
    states += [named(chr_, "fast path IPv4")[0].state]
    assert states == ["ok", "spoils", "ok"]


def test_it_knows_every_word_of_the_labs_or_says_which_not(chr_: Chr, router_of: Make) -> None:
    lab = labs.find("fastpath")
    router = router_of(lab)
    told = [each for condition in lab.conditions.values() for each in router.statements(condition)]
    findings = named(chr_, "version", Needs(statements=told))
    assert not [finding for finding in findings if finding.state == "spoils"], findings
