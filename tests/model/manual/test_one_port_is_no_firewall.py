"""l3-hw-offloading=no on one port keeps no firewall: what the planner and the chapter say of it.

The manual, L3 Hardware Offloading (read on 2026-10-06): it works "on just the egress port"; on only
the ingress port "packets might still be routed by hardware and completely bypass the CPU/firewall".
"""

from __future__ import annotations

from pathlib import Path

from ppslab.model.packet_path import export_files as export
from ppslab.model.planning.offload import limits
from ppslab.model.switch_chip import chips

ROOT = Path(__file__).parents[3]

UPLINK_ALONE = """/interface ethernet switch
set 0 l3-hw-offloading=yes
/interface ethernet switch port
set 9 l3-hw-offloading=no
/ip firewall filter
add action=drop chain=forward in-interface=sfp-sfpplus1
"""


def found_in(text: str, tmp_path: Path) -> list[limits.Finding]:
    file = tmp_path / "router.rsc"
    file.write_text(text)
    return limits.findings(export.export_of(file), chips.of("CRS326-24G-2S+"))


def test_the_planner_does_not_call_a_port_behind_the_firewall(tmp_path: Path) -> None:
    (port,) = (f for f in found_in(UPLINK_ALONE, tmp_path) if f.line == 4)
    assert port.effect == "blind"
    assert "l3hw-ingress-alone" in port.limit.facts
    assert "both sides" in port.says and "redirect-to-cpu" in port.says


def test_the_firewall_rule_names_a_remedy_that_holds(tmp_path: Path) -> None:
    (rule,) = (f for f in found_in(UPLINK_ALONE, tmp_path) if f.line == 6)
    assert "both sides" in rule.says and "redirect-to-cpu=yes" in rule.says


def test_the_chapter_warns() -> None:
    text = (ROOT / "book/l3offload/measured.md").read_text(encoding="utf-8")
    assert "is how a firewall for one uplink is kept" not in text
    assert "on one port is no firewall for that port" in text
