"""What fits into a switch chip: RouterOS's rule on made-up tables, and what an export says."""

from __future__ import annotations

import ipaddress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.core.errors import UsageError
from ppslab.model.packet_path import export_files as export
from ppslab.model.planning import limits
from ppslab.model.switch_chip import chips, offload, routes
from ppslab.model.switch_chip.routes import Prefix, Route

CRS326 = chips.of("CRS326-24G-2S+RM")


def test_devices_are_found_by_how_their_names_begin() -> None:
    assert (CRS326.room, CRS326.takes(4), CRS326.takes(6)) == (13312, 1, 4)
    assert chips.of("crs326-24s+2q+rm").name == "98DX8332"
    assert chips.of("CCR2216-1G-12XS-2XQ").next_hops == 8192
    with pytest.raises(UsageError, match=r"CRS326-24X.*CRS326-24G, CRS"):
        chips.of("CRS326-24X")


# --- exports ---------------------------------------------------------------------------------

EXPORT = r"""# 2026-11-01 12:00:00 by RouterOS 7.15
/interface bridge
add name=bridge1 admin-mac=02:00:C6:12:01:01 vlan-filtering=yes
add name=bridge2
/interface vlan
add interface=bridge1 name=vlan10 vlan-id=10
add interface=vlan10 name=inner vlan-id=11
add interface=ether7 name=vlan12 vlan-id=12
/interface ethernet switch
set 0 l3-hw-offloading=yes
/interface ethernet
set [ find default-name=ether1 ] mac-address=02:00:C6:12:09:01
/interface bonding
add mode=balance-rr name=bond1 slaves=ether3,ether4
add mode=802.3ad name=bond2 slaves=ether5,ether6
/interface vrrp
add interface=vlan10 name=vrrp1
/ip firewall filter
add action=accept chain=forward connection-state=\
    established,related
add action=drop chain=input
add action=drop chain=forward disabled=yes
/ip firewall nat
add action=masquerade chain=srcnat comment="out [to the] {world}" out-interface=vlan10
/ip route
add dst-address=198.19.0.0/16 gateway=198.18.2.2
/ipv6 route
add dst-address=2001:2::/48 gateway=2001:2::1
"""


def said(device: str, tmp_path: Path, text: str = EXPORT) -> list[tuple[str, int]]:
    file = tmp_path / "router.rsc"
    file.write_text(text)
    found = limits.findings(export.export_of(file), chips.of(device))
    return [(finding.effect, finding.line) for finding in found]


def test_what_keeps_packets_from_a_small_chip(tmp_path: Path) -> None:
    assert said("CRS326-24G-2S+", tmp_path) == [
        ("off", 17),  # VRRP
        ("cpu", 4),  # a second bridge
        ("cpu", 7),  # a VLAN in a VLAN
        ("cpu", 8),  # a VLAN that is not on the bridge
        ("cpu", 12),  # a MAC address that differs in more than its last byte
        ("cpu", 14),  # balance-rr
        ("cpu", 24),  # NAT
        ("cpu", 28),  # IPv6 without ipv6-hw
        ("blind", 19),  # a filter rule
        ("note", 6),  # a bridge that is no member of the VLAN that stands on it
    ]


@pytest.mark.parametrize(
    ("member", "missing"),
    [
        ("tagged=bridge1 untagged=ether2 vlan-ids=10", False),
        ("tagged=ether5,bridge1 vlan-ids=8,9-11", False),
        ("tagged=bridge1 vlan-ids=11-20", True),
        ("tagged=ether5 vlan-ids=10", True),
        ("tagged=bridge1 vlan-ids=10 disabled=yes", True),
    ],
)
def test_the_bridge_is_a_tagged_member_or_is_named(
    tmp_path: Path, member: str, missing: bool
) -> None:
    text = f"{EXPORT}/interface bridge vlan\nadd bridge=bridge1 {member}\n"
    assert (("note", 6) in said("CRS326-24G-2S+", tmp_path, text)) == missing


@pytest.mark.parametrize(
    ("version", "filtering", "missing"),
    [("7.15.3", "yes", True), ("7.16", "yes", False), ("7.21", "yes", False), ("7.21", "no", True)],
)
def test_a_bridge_that_filters_is_a_member_by_itself_since_7_16(
    tmp_path: Path, version: str, filtering: str, missing: bool
) -> None:
    text = EXPORT.replace("7.15", version).replace("filtering=yes", f"filtering={filtering}")
    assert (("note", 6) in said("CRS326-24G-2S+", tmp_path, text)) == missing


def test_a_larger_chip_has_fewer_limits(tmp_path: Path) -> None:
    lines = [line for _, line in said("CCR2216-1G-12XS-2XQ", tmp_path)]
    assert 12 not in lines
    assert 24 in lines  # only FastTracked connections are translated


@pytest.mark.parametrize(
    ("words", "off"),
    [
        ("priority=127", False),
        ("bridge=none peer-port=none", False),
        ("bridge=bridge1 peer-port=bond1 priority=127", True),
    ],
)
def test_mlag_is_there_where_it_has_a_peer(tmp_path: Path, words: str, off: bool) -> None:
    text = f"{EXPORT}/interface bridge mlag\nset {words}\n"
    assert (("off", 30) in said("CRS326-24G-2S+", tmp_path, text)) == off


# --- the command -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "export_says", "inside", "sentence"),
    [
        ([], None, 1, "counted as if ipv6-hw=yes; RouterOS's default is no"),
        ([], "", 0, "the export does not set ipv6-hw=yes"),
        ([], "/interface/ethernet/switch/l3hw-settings set ipv6-hw=yes\n", 1, "(ipv6-hw=yes)"),
        (["--ipv6"], "", 1, "(ipv6-hw=yes)"),
        (["--no-ipv6"], None, 0, "asked for"),
    ],
)
def test_ipv6_is_in_hardware_where_routeros_has_it_there(
    tmp_path: Path, more: list[str], export_says: str | None, inside: int, sentence: str
) -> None:
    file, router = tmp_path / "r.txt", tmp_path / "router.rsc"
    file.write_text("2001:2:1::/48 via 2001:2::1\n198.19.0.0/16 via 198.18.2.2\n")
    words = ["plan", "offload", str(file), "--device", "CRS326-24G-2S+", *more]
    if export_says is not None:
        router.write_text(f"/interface/ethernet/switch set 0 l3-hw-offloading=yes\n{export_says}")
        words += ["--export", str(router)]
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 0, shown.exception
    assert sentence in shown.stdout.replace("\n", " ")
    (row,) = [line.split("│") for line in shown.stdout.splitlines() if "IPv6 /48" in line]
    assert [int(cell) for cell in row[2:4]] == [inside, 1 - inside]


def test_wrong_usage_is_one_message(tmp_path: Path) -> None:
    file = tmp_path / "r.txt"
    file.write_text("198.19.0.0/16 via 198.18.2.2\n")
    for more in (["--device", "RB4011"], ["--device", "CRS326-24G", "--towards", "x"]):
        failed = CliRunner().invoke(app, ["plan", "offload", str(file), *more])
        assert isinstance(failed.exception, UsageError)


@pytest.mark.long
def test_a_full_table_of_the_internet_is_planned_in_seconds() -> None:
    """A million prefixes; the rule sorts once."""
    table = [Route(Prefix(4, (1 << 24) + (i << 8), 24), "forward", ("a",)) for i in range(300_000)]
    choice = offload.choose(table, chips.of("CCR2216"))
    assert (len(choice.hardware), choice.shortest(4)) == (120_000, 24)
    network = routes.prefix(str(ipaddress.ip_network("0.0.0.0/0")))
    assert offload.share_of_cpu(choice, network) == pytest.approx(1 - 120_000 * 256 / 2**32)
