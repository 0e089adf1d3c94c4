"""Servers that the project does not own: unknown cards, InfiniBand, virtual functions, cut files.

All of them are made up here, in the words of pciutils (ls-caps.c, ls-ecaps.c) and of hwloc2.dtd.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core.errors import FileError, UsageError
from ppslab.model.planning import views
from ppslab.model.planning.nics import cards
from ppslab.model.planning.nics.grouping import lanes, plan
from ppslab.model.planning.nics.inventories import lspci, lstopo
from ppslab.model.planning.nics.machine import Machine
from ppslab.model.planning.nics.pcie import Link

ETHERNET, INFINIBAND, WIFI = "0200", "0207", "0280"
PU = '<object type="PU" os_index="0" cpuset="0x1"/>'


def device(
    bus: int, rate: str, pci_id: str = "15b3:101b", kind: str = ETHERNET, name: str = "ens1"
) -> str:
    """A function as hwloc writes it."""
    return (
        f'<object type="PCIDev" pci_busid="0000:{bus:02x}:00.0" pci_link_speed="{rate}" '
        f'pci_type="{kind} [{pci_id}] [0000:0000] 00 00"><object type="OSDev" name="{name}" '
        'osdev_type="2"/></object>'
    )


def server(*devices: str, cpu: str = "", speeds: dict[str, float] | None = None) -> Machine:
    """A machine of one node as hwloc writes it."""
    info = f'<info name="CPUModel" value="{cpu}"/>' if cpu else ""
    body = f'<object type="Machine" cpuset="0x1">{info}{PU}{"".join(devices)}</object>'
    text = f'<?xml version="1.0"?><topology version="2.0">{body}</topology>'
    return lstopo.parse(text, Path("machine.xml"), speeds)


def block(address: str, *lines: str, head: str = "Ethernet controller: A Maker A Card") -> str:
    """A device as lspci -vv writes it."""
    return "\n".join([f"{address} {head}", *(f"\t{line}" for line in lines), "", ""])


def express(state: str = "Speed 8GT/s, Width x8", control: str = "") -> tuple[str, ...]:
    controls = [f"\t\t{control}"] if control else []
    return (
        "NUMA node: 0",
        *controls,
        "\tLnkCap:\tPort #0, Speed 8GT/s, Width x8",
        f"\tLnkSta:\t{state}",
    )


def parsed(text: str) -> Machine:
    return lspci.parse(text, Path("machine.lspci"))


# ---- A rate is no link ---------------------------------------------------------------------------


def test_a_rate_that_three_links_have_is_not_called_one_of_them() -> None:
    """15.75 GB/s: 16 lanes of 8 GT/s, 8 of 16 GT/s, 4 of 32 GT/s (128b/130b each)."""
    (card,) = server(device(4, "15.753846")).cards
    assert (card.link, card.links) == (None, (Link(3, 16), Link(4, 8), Link(5, 4)))
    (_, links) = views.tables(plan(server(device(4, "15.753846"))))
    assert links.rows[0][4].text == "PCIe 3.0 x16 or 4.0 x8 or 5.0 x4"
    assert links.rows[0][5].text == "126 Gbit/s"


def test_the_processor_says_how_new_a_link_can_be() -> None:
    """An E5-2650 v4 has PCIe 3.0."""
    machine = server(device(4, "15.753846"), cpu="Intel(R) Xeon(R) CPU E5-2650 v4 @ 2.20GHz")
    assert machine.cards[0].links == (Link(3, 16),)


def test_a_known_card_that_runs_half_of_what_it_could_is_not_guessed_either() -> None:
    """An E810-C could run PCIe 4.0 x16: in an older slot, or in one of half its lanes?"""
    machine = server(device(4, "15.753846", "8086:1592"))
    assert machine.cards[0].links == (Link(3, 16), Link(4, 8))
    (said,) = [each for each in plan(machine).warnings if "could PCIe 4.0 x16" in each]
    assert "3.0 x16 or 4.0 x8" in said
    assert server(device(4, "31.507692", "8086:1592")).cards[0].links == (Link(4, 16),)


def test_lanes_that_nobody_says_are_not_none() -> None:
    """A card without a link in the inventory, as in a guest: its lanes are not 0."""
    unknown = server(device(4, "0.0"))
    assert lanes(unknown, 0) == (0, 1)
    assert views.node_table(plan(unknown)).rows[0][5].text == views.UNKNOWN
    half = server(device(4, "0.0"), device(5, "4.0", "8086:10fb"))
    assert views.node_table(plan(half)).rows[0][5].text == "at least 8"
    none = server()
    assert views.node_table(plan(none)).rows[0][5].text == "0"


# ---- What is no Ethernet port --------------------------------------------------------------------


def test_infiniband_is_in_no_bond_and_that_is_said() -> None:
    machine = server(
        device(4, "15.753846", kind=INFINIBAND, name="ib0"),
        device(5, "4.0", "8086:10fb", name="eth0"),
        device(6, "0.5", "8086:2723", kind=WIFI, name="wlan0"),
        speeds={"15b3:101b": 200, "8086:2723": 1},
    )
    made = plan(machine)
    assert [port.netdev for bond in made.bonds for port in bond.ports] == ["eth0"]
    said = "\n".join(made.warnings)
    assert "ib0" in said and "0207" in said and "mlxconfig" in said
    assert "wlan0" in said and "0280" in said
    (_, links, _) = views.tables(made)
    assert [row[3].text for row in links.rows] == [
        "1 x InfiniBand",
        "1 x 10 Gbit/s",
        "1 x no Ethernet",
    ]


def test_a_card_of_both_gives_its_ethernet_port() -> None:
    ports = [
        block("04:00.0", *express(), head="Infiniband controller: Mellanox MT28908 [ConnectX-6]"),
        block("04:00.1", *express(), head="Ethernet controller: Mellanox MT28908 [ConnectX-6]"),
    ]
    machine = lspci.parse("".join(ports), Path("f"), None, {"0000:04:00": 100})
    (bond,) = plan(machine).bonds
    assert [port.address for port in bond.ports] == ["0000:04:00.1"]


# ---- Speeds --------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["04:00.0=200", "0000:04:00.0=200", "04:00=200"])
def test_a_speed_by_address_where_lspci_prints_no_id(word: str) -> None:
    text = block("04:00.0", *express(), head="Ethernet controller: Mellanox MT28908 [ConnectX-6]")
    (warning,) = [each for each in plan(parsed(text)).warnings if "--speed" in each]
    assert "--speed 0000:04:00=GBITS" in warning
    (card,) = lspci.parse(text, Path("f"), None, cards.told([word])).cards
    assert card.gbits == 200


def test_a_speed_of_no_card_is_refused_and_says_what_to_do() -> None:
    text = block("04:00.0", *express())
    for told in ({"15b3:101b": 200.0}, {"0000:05:00": 200.0}):
        with pytest.raises(UsageError, match=r"0000:04:00.*lspci -nnvv"):
            lspci.parse(text, Path("f"), None, told)


@pytest.mark.parametrize(
    "name", ["Ethernet Controller X550", "Ethernet Controller 10G X550T (rev 01)"]
)
def test_an_x550_by_both_names_that_pci_ids_had(name: str) -> None:
    text = block("04:00.0", *express(), head=f"Ethernet controller: Intel Corporation {name}")
    (card,) = parsed(text).cards
    assert (card.name, card.gbits) == ("Intel X550", 10)


# ---- Virtual functions ---------------------------------------------------------------------------

SRIOV = (
    "\tInitial VFs: 64, Total VFs: 64, Number of VFs: 6, Function Dependency Link: 00",
    "\tVF offset: {offset}, stride: 1, Device ID: 101c",
)


def parts(count: int, name: str = "A Maker A Part") -> str:
    """So many functions from 12:00.5 on: three on 12:00, the others on 12:01."""
    places = [f"12:{number >> 3:02x}.{number & 7}" for number in range(5, 5 + count)]
    return "".join(block(p, *express(), head=f"Ethernet controller: {name}") for p in places)


def test_virtual_functions_are_those_that_their_card_says_wherever_they_are() -> None:
    """12:00.0 with offset 5: the first is 12:00.5, the fourth 12:01.0."""
    card = block("12:00.0", *express(), *(line.format(offset=5) for line in SRIOV))
    (made,) = parsed(card + parts(6)).cards
    assert (len(made.ports), made.virtual_functions) == (1, 6)
    assert "6 virtual functions" in "\n".join(plan(parsed(card + parts(6))).warnings)


@pytest.mark.parametrize(
    "name",
    [
        "Mellanox Technologies MT28908 Family [ConnectX-6 Virtual Function]",
        "Chelsio Communications Inc T520-CR Unified Wire Ethernet Controller [VF]",
        "Cisco Systems Inc VIC Userspace NIC (rev a2)",
        "Cisco Systems Inc VIC SR-IOV VF (rev a2)",
    ],
)
def test_virtual_functions_by_their_names(name: str) -> None:
    (made,) = parsed(block("12:00.0", *express()) + parts(6, name)).cards
    assert (len(made.ports), made.virtual_functions) == (1, 6)


def test_usnic_by_its_id_is_no_port() -> None:
    """Four VICs with three usNIC functions each: 4 ports, not 16."""
    text = "".join(
        block(
            f"{bus:02x}:00.{f}", *express(), head=f"0200: 1137:{'00cf' if f else '0043'} (rev a2)"
        )
        for bus in (4, 5, 6, 7)
        for f in range(4)
    )
    made = parsed(text).cards
    assert [(len(card.ports), card.virtual_functions) for card in made] == [(1, 3)] * 4


# ---- Files that are not whole --------------------------------------------------------------------

BRIDGE = "PCI bridge: A Maker A Root Port"


def test_a_file_that_ends_in_a_line_is_called_cut_off() -> None:
    whole = block("04:00.0", *express()) + block("05:00.0", *express())
    assert parsed(whole).doubts == parsed(whole.rstrip("\n") + "\n").doubts == ()
    (said,) = plan(parsed(whole[: whole.index("\tLnkCap", 80) + 30])).machine.doubts
    assert "cut off" in said


def test_a_live_link_to_no_device_is_called_out() -> None:
    root = block(
        "00:02.0",
        "Bus: primary=00, secondary=05, subordinate=05, sec-latency=0",
        "\tLnkSta:\tSpeed 8GT/s, Width x8, TrErr- Train- SlotClk+ DLActive+",
        head=BRIDGE,
    )
    whole = root + block("05:00.0", *express())
    assert parsed(whole).doubts == ()
    (said,) = parsed(root).doubts
    assert "bridge 0000:00:02.0" in said and "bus 0000:05" in said
    assert said in plan(parsed(root)).warnings
    assert parsed(root.replace("DLActive+", "DLActive-")).doubts == ()


def test_a_payload_that_pcie_lacks_names_its_line() -> None:
    odd = express(control="MaxPayload 300 bytes, MaxReadReq 512 bytes")
    with pytest.raises(FileError, match=r"300 bytes.*128, 256") as caught:
        parsed(block("04:00.0", *express()) + block("05:00.0", *odd))
    assert caught.value.line == 8
    # Whatever a disk has is none of the planner's business.
    assert parsed(block("04:00.0", *express()) + block("05:00.0", *odd, head="Disk: A Maker"))


def test_xml_nested_deeper_than_python_can_recurse() -> None:
    """20 000 groups, one in the other, with a CPU and a card at the bottom."""
    depth = 20_000
    inside = f"{PU}{device(4, '4.0', '8086:10fb')}"
    machine = server('<object type="Group">' * depth + inside + "</object>" * depth)
    assert len(machine.cards) == 1
    with pytest.raises(FileError, match="CPU"):
        lstopo.parse(f"<topology>{'<object>' * depth}{'</object>' * depth}</topology>", Path("f"))
