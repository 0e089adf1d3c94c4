"""RouterOS's scripts as statements, and its values in one form."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core import paths
from ppslab.core.errors import FileError
from ppslab.model.lab import lab as labs
from ppslab.model.switch_chip import routes
from ppslab.model.switch_chip.routes import Prefix, prefix
from ppslab.testbed.routers.routeros.rsc import script
from ppslab.testbed.routers.routeros.rsc.values import same


def read(text: str) -> list[str]:
    return [f"{s.line} {s}" for s in script.statements(text, "x.rsc")]


def test_rows_are_found_by_all_that_a_find_says() -> None:
    (one,) = script.statements(
        '/system/resource/irq set [find where users~"^p1" static !dynamic cpu=auto] cpu=0', "x"
    )
    assert [(test.key, test.op, test.value) for test in one.find or ()] == [
        ("users", "~", "^p1"), ("static", "flag", "yes"), ("dynamic", "flag", "no"),
        ("cpu", "=", "auto"),
    ]  # fmt: skip
    assert read("/interface/ethernet/switch set 0 l3-hw-offloading=yes") == [
        "1 /interface/ethernet/switch/set 0 l3-hw-offloading=yes"
    ]
    assert read("/queue/simple disable [find]") == ["1 /queue/simple/disable [find]"]


def test_a_new_row_may_have_a_place_that_a_find_names() -> None:
    (one,) = script.statements(
        "/ip/firewall/filter add chain=forward action=drop place-before=[find comment=last]", "x"
    )
    assert one.properties == (("chain", "forward"), ("action", "drop"))
    assert str(one).endswith("action=drop place-before=[find where comment=last]")
    with pytest.raises(FileError, match=r"x:1: place-before=\[find"):
        script.statements("/ip/firewall/filter add chain=forward place-before=0", "x")


def test_a_number_is_written_in_hexadecimal_by_picking_its_digits() -> None:
    digits = '"0123456789abcdef"'
    text = (
        f':for i from=31 to=32 do={{ /ipv6/route add blackhole dst-address=("2001:2:0:" . '
        f'[:pick {digits} ($i / 16)] . [:pick {digits} ($i % 16)] . "::/64") }}'
    )
    assert read(text) == [
        "1 /ipv6/route/add blackhole dst-address=2001:2:0:1f::/64",
        "1 /ipv6/route/add blackhole dst-address=2001:2:0:20::/64",
    ]


@pytest.mark.long
def test_both_routers_of_the_lab_of_routes_get_the_same_ones() -> None:
    lab = labs.find("l3offload")
    for condition in lab.conditions.values():
        rsc: dict[Prefix, set[str]] = {}
        for file in condition.routeros:
            for statement in script.read(lab.folder / file):
                said = dict(statement.properties)
                if statement.menu in ("/ip/route", "/ipv6/route") and "dst-address" in said:
                    hops = rsc.setdefault(prefix(said["dst-address"]), set())
                    hops |= {said["gateway"]} if "gateway" in said else set()
        linux = {
            route.prefix: set(route.hops)
            for file in condition.linux.routes
            for route in routes.read(lab.folder / file)
        }
        assert rsc == linux, condition.name


@pytest.mark.parametrize(
    "text",
    [
        "/ip/address\nremove [find]",
        "/ip/firewall/connection remove 3",
        "/ip/settings set rp-filter=no\n/system/reboot\n",
        "/tool/profile duration=5s",
        ":global x 5",
        "/ip/address add address=$x",
        "/ip/address add address=[:resolve a]",
        '/ip/address add address=[:pick "abc" 3]',
        "/ip/address set [find where a=b or c=d] e=f",
        "/ip/address add a=b a=c",
        ":for i from=a to=2 do={ }",
        '/ip/address add comment="a',
        "/ip/address enable",
        "/ip/address add a=(1 / 0)",
    ],
)
def test_what_cannot_be_taken_back_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(FileError) as told:
        read(text)
    assert told.value.line


def test_no_statement_shows_a_secret() -> None:
    assert read("/ppp/secret add name=a password=hunter2") == [
        "1 /ppp/secret/add name=a password=(hidden)"
    ]


@pytest.mark.long
def test_every_condition_of_every_lab_is_read() -> None:
    read_files: set[Path] = set()
    for name in labs.names():
        lab = labs.find(name)
        nodes = {lab.spec.router}.union(*lab.spec.routeros_nodes.values())
        for condition in lab.conditions.values():
            given = [file for node in nodes for file in lab.routeros(condition, node)]
            assert set(given) == set(condition.routeros), f"{name}, {condition.name}"
            for file in condition.routeros:
                read_files.add(lab.folder / file)
    assert len(read_files) > 50
    counts = {path: len(script.read(path)) for path in read_files}
    assert all(counts.values())
    # The script's own heading says so many.
    folder = paths.project_root() / "labs" / "l3offload" / "routeros"
    assert counts[folder / "routes/12288.rsc"] == 12288 + 1
    assert counts[folder / "routes/14336.rsc"] == 14336 + 1


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("yes", "true"),
        ("no", "false"),
        ("1s", "00:00:01"),
        ("1m40s", "100s"),
        ("300", "5m"),
        ("10s,10", "10s,10"),
        ("02:00:c6:12:01:01", "02:00:C6:12:01:01"),
        ("02:00:C6:12:00:00/FF:FF:FF:FF:00:00", "02:00:c6:12:00:00/ff:ff:ff:ff:00:00"),
        ("established,related", "related,established"),
        ("198.19.1.1/32", "198.19.1.1"),
        ("2001:2:0:1::1/64", "2001:2:0:1:0::1/64"),
        ("10G/10G", "10000000000/10000000000"),
        ("0x0", "0"),
        ("0x1818", "0x1818"),
        ("", "true"),
        ("", ""),
        ("no", None),
        ("disabled", None),
    ],
)
def test_ways_to_write_one_value(wanted: str, found: str | None) -> None:
    assert same(wanted, found)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("yes", "false"),
        ("yes", None),
        ("", None),
        ("auto", "true"),
        ("1s", "1m"),
        ("198.19.1.1/24", "198.19.1.1/25"),
        ("198.19.1.1/24", "198.19.1.1"),
        ("established", "established,related"),
        ("10G/10G", "10G/1G"),
        ("p1", "p2"),
    ],
)
def test_other_values_are_others(wanted: str, found: str | None) -> None:
    assert not same(wanted, found)
