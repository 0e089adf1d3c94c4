"""What the machine of a CHR spoils: licence, device mode, memory, queues, no KVM."""

from __future__ import annotations

import pytest

from ppslab.judge import claims
from ppslab.model.lab import lab
from ppslab.testbed.backends.capabilities.tools import KvmAnswer
from ppslab.testbed.routers.routeros import checks, facts
from ppslab.testbed.routers.routeros.checks import Needs, check, fast_path, spoiled
from ppslab.testbed.routers.routeros.licence import COUNTERS_ONLY, licence
from tests.support.factory import make_record
from tests.testbed.routers.routeros.checks.asking import MIB, fit, found, named, talking


def test_nothing_spoils_a_fit_chr() -> None:
    findings = found(fit())
    assert not spoiled(findings), findings
    assert [finding.name for finding in findings if finding.state == "unknown"] == ["kvm"]
    assert {finding.name for finding in findings} <= {name for name, _ in checks.CHECKS}


def test_every_finding_that_asks_for_something_says_what_to_do() -> None:
    device = fit(level="free", cpus=4, memory=256 * MIB, card="e1000", load=40, allowed=False)
    rest = found(device, Needs(generator=True))
    bad = [finding for finding in rest if finding.state in ("spoils", "warns")]
    assert {finding.name for finding in bad} == {
        "licence", "device-mode", "memory", "cards", "queues", "load",
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


@pytest.mark.long
def test_device_mode_matters_to_a_generator_only() -> None:
    device = fit(allowed=False)
    (finding,) = named(found(device), "device-mode")
    assert finding.state == "ok"
    (finding,) = named(found(device, Needs(generator=True)), "device-mode")
    assert finding.state == "spoils"
    assert "/system/device-mode/update traffic-gen=yes" in finding.remedy
    assert "system_reset" in finding.remedy
    hardware = fit(allowed=False, board="CRS326-24G-2S+", level=None)
    (finding,) = named(found(hardware, Needs(generator=True)), "device-mode")
    assert "button" in finding.remedy


@pytest.mark.parametrize(
    ("cpus", "ports", "mib", "state"),
    [
        (1, 4, 1024, "ok"),
        (1, 4, 1010, "ok"),  # a firmware keeps some megabytes
        (4, 8, 736, "warns"),  # the manual's formula, 512 + 8 * 4 * 7, below the 1024 recommended
        (4, 8, 700, "spoils"),
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


@pytest.mark.parametrize(
    ("cpus", "queues", "state"), [(1, 1, "ok"), (2, 1, "warns"), (2, 2, "ok"), (2, 0, "unknown")]
)
def test_one_queue_for_several_cpus_is_found(cpus: int, queues: int, state: str) -> None:
    (finding,) = named(found(fit(cpus=cpus, queues=queues)), "queues")
    assert finding.state == state, finding


def test_a_queue_is_found_by_the_ports_first_name_too() -> None:
    device = fit(cpus=2)
    for number, port in device.tree.items("/interface/ethernet").items():
        device.tree.set("/interface/ethernet", number, {"name": f"p{port['name'][-1]}"})
    (finding,) = named(found(device), "queues")
    assert finding.state == "warns"
    assert "p1, p2, p3, p4" in finding.said


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
    monkeypatch.setattr(fast_path, "known", lambda: answer)
    (finding,) = named(found(fit(), Needs(here=True)), "kvm")
    assert finding.state == state
    assert bool(finding.remedy) == (state != "ok")


def test_kvm_of_another_machine_is_not_known_from_here() -> None:
    for here in (None, False):
        (finding,) = named(found(fit(), Needs(here=here)), "kvm")
        assert finding.state == "unknown"
    assert not named(found(fit(board="RB4011", level=None)), "kvm")


def test_a_free_licence_is_in_the_record_where_claims_look_for_it() -> None:
    device = fit(level="free")
    with talking(device) as api:
        told = facts.read(api, api.settings("/system/resource"))
    record = make_record()
    assert record.licence_level is None
    with_it = record.model_copy(update={"environment": {**record.environment, **told}})
    assert with_it.licence_level == COUNTERS_ONLY
    judged = claims.judge_all(lab.find("fastpath"), claims.Runs.of(with_it))
    measured = [each for each in judged if "licence" in each.reason]
    assert measured, "no claim is judged by a rate of a licence"
    assert all(each.verdict == claims.NOT_TESTABLE for each in measured)
    assert not [each for each in judged if each.measured is not None and each in measured]
    assert "7WwsTkLUKQG" not in str(told)
