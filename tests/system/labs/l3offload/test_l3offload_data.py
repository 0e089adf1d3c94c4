"""The two routers of the lab l3offload are set up alike; its program is as large as the chip."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ppslab.core import paths
from ppslab.model.lab import lab
from ppslab.model.switch_chip import chips, offload, routes
from ppslab.model.switch_chip.routes import Prefix, Route
from ppslab.testbed.routers.routeros.rsc import script

LAB = lab.find("l3offload")
PROGRAM = Path("images/linux-router/bpf/l3_offload.bpf.c")


def test_the_program_has_the_tables_of_the_device() -> None:
    text = (paths.project_root() / PROGRAM).read_text()
    chip = chips.of("CRS326-24G-2S+")
    sizes = dict(re.findall(r"#define (IPV[46]_ROUTES|NEXT_HOPS)\s+(\d+)", text))
    assert sizes == {
        "IPV4_ROUTES": str(chip.ipv4_routes),
        "IPV6_ROUTES": str(chip.ipv6_routes),
        "NEXT_HOPS": str(chip.next_hops),
    }


def linux_routes(condition: str) -> set[Route]:
    files = LAB.conditions[condition].linux.routes
    return {route for file in files for route in routes.read(LAB.folder / file)}


def routeros_routes(condition: str) -> set[Route]:
    """The routes that the condition's RouterOS files add, loops unrolled, next hops together."""
    found: dict[Prefix, list[str]] = {}
    for file in LAB.conditions[condition].routeros:
        for statement in script.read(LAB.folder / file):
            said = dict(statement.properties)
            if statement.menu in ("/ip/route", "/ipv6/route") and "dst-address" in said:
                hops = found.setdefault(routes.prefix(said["dst-address"]), [])
                hops += [said["gateway"]] if "gateway" in said else []
    return {
        Route(target, "forward" if hops else "blackhole", tuple(hops))
        for target, hops in found.items()
    }


@pytest.mark.long
@pytest.mark.parametrize("condition", LAB.conditions)
def test_both_routers_have_the_same_routes(condition: str) -> None:
    assert routeros_routes(condition) == linux_routes(condition)


@pytest.mark.parametrize("condition", LAB.conditions.values(), ids=LAB.conditions)
def test_both_routers_agree_on_offload(condition: lab.Condition) -> None:
    chip = condition.linux.switch_chip
    files = {Path(file).name for file in condition.routeros}
    bridged = "bridge.rsc" in files
    assert bridged == (not condition.linux.routes)
    routed = (chip is not None, chip is None and not bridged)
    assert ("offload.rsc" in files, "cpu.rsc" in files) == routed
    for rule in ("acl-drop", "acl-to-cpu"):
        ruled = chip is not None and f"linux/{rule}.tc" in chip.rules
        assert (f"{rule}.rsc" in files) == ruled
    assert ("no-icmp.rsc" in files) == (chip is not None and not chip.icmp_reply_on_error)
    assert ("offload-ipv6.rsc" in files) == (chip is not None and chip.ipv6_hw)
    above = {"linux/ip-interfaces.ip", "linux/inter-vlan.ip"} & set(condition.linux.ip)
    assert ("ip-interfaces.rsc" in files) == bool(above)


@pytest.mark.long
def test_the_conditions_of_many_routes_fit_and_overflow_as_they_say() -> None:
    chip = chips.of("CRS326-24G-2S+")
    everything = routes.prefix("198.19.0.0/16")
    left = {
        name: offload.choose(linux_routes(name), chip, hosts=9).cpu
        for name in ("offload-1000-routes", "offload-12288-routes", "offload-14336-routes")
    }
    assert [len(routes_left) for routes_left in left.values()] == [0, 0, 1034]
    full = offload.choose(linux_routes("offload-14336-routes"), chip, hosts=9)
    assert offload.share_of_cpu(full, everything) == pytest.approx(1033 / 8192)
