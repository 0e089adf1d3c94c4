"""Inventories by lstopo and lspci: the same machine by both, odd machines, and files to refuse.

two-sockets.* are one guest of QEMU with four cards of two ports, two behind each of two PCIe
expander buses, in slots 1, 2 (node 0) and 4, 5 (node 1): what QEMU was told is the truth.
The odd machines are made up, in the words of pciutils (ls-caps.c, ls-ecaps.c) and of hwloc2.dtd.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from ppslab.core.errors import FileError, PpslabError, UsageError
from ppslab.model.planning.nics import cards
from ppslab.model.planning.nics.grouping import plan
from ppslab.model.planning.nics.inventories import lspci, lstopo
from ppslab.model.planning.nics.machine import Machine
from ppslab.model.planning.nics.pcie import Link
from ppslab.show import nic_tables

PU = '<object type="PU" os_index="0" cpuset="0x1"/>'
FOLDER = Path(__file__).resolve().parents[3] / "book" / "whitebox" / "inventories"
INVENTORIES = sorted(FOLDER.glob("*.xml"))


def by_lspci(name: str = "two-sockets", text: str | None = None) -> Machine:
    beside = lspci.Beside({}, lspci.read_cpus(FOLDER / f"{name}.cpus"))
    path = FOLDER / f"{name}.lspci"
    return lspci.parse(text if text is not None else path.read_text(), path, beside)


def x520(
    first: str = "04:00.0 Ethernet controller: Intel Corporation 82599ES 10-Gigabit SFI/SFP+ "
    "Network Connection (rev 01)",
    state: str = "Speed 5GT/s, Width x8, TrErr- Train-",
) -> str:
    return (
        f"{first}\n"
        "\tPhysical Slot: 4-1\n"
        "\tNUMA node: 1\n"
        "\tIOMMU group: 31\n"
        "\tCapabilities: [a0] Express (v2) Endpoint, MSI 00\n"
        "\t\tDevCap:\tMaxPayload 512 bytes, PhantFunc 0, Latency L0s <512ns, L1 <64us\n"
        "\t\t\tMaxPayload 256 bytes, MaxReadReq 4096 bytes\n"
        "\t\tLnkCap:\tPort #0, Speed 5GT/s, Width x8, ASPM L0s, Exit Latency L0s <2us\n"
        f"\t\tLnkSta:\t{state}\n"
        "\tKernel driver in use: ixgbe\n\n"
    )


@pytest.mark.parametrize(
    "machine",
    [lstopo.read(FOLDER / "two-sockets.xml"), by_lspci()],
    ids=["lstopo", "lspci"],
)
def test_both_tools_find_what_qemu_was_told(machine: Machine) -> None:
    assert [(node.index, node.packages, node.cpus) for node in machine.nodes] == [
        (0, (0,), (0, 1)),
        (1, (1,), (2, 3)),
    ]
    assert [(card.slot, card.node, len(card.ports)) for card in machine.cards] == [
        ("1", 0, 2),
        ("2", 0, 2),
        ("4", 1, 2),
        ("5", 1, 2),
    ]
    for card in machine.cards:
        assert card.name == "Intel 82574L"
        assert card.gbits == 1
        assert card.link == card.capable == Link(1, 1)
        assert card.root


@pytest.mark.parametrize("path", INVENTORIES, ids=lambda path: path.stem)
@pytest.mark.skipif(not shutil.which("lstopo-no-graphics"), reason="hwloc is not installed")
def test_hwloc_itself_reads_each_inventory_and_sees_the_same(path: Path) -> None:
    """lstopo writes it anew from its own tree; the machine is the same."""
    said = subprocess.run(
        ["lstopo-no-graphics", "--input", str(path), "--of", "xml", "--whole-io"],
        capture_output=True,
        text=True,
        check=True,
    )
    again, first = lstopo.parse(said.stdout, path), lstopo.read(path)
    assert again.nodes == first.nodes
    assert again.cards == first.cards


def xml(body: str, version: str = "2.0") -> str:
    return f'<?xml version="1.0"?><topology version="{version}">{body}</topology>'


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("<topology>", 1, "not XML"),
        ("<html/>", 1, "'html'"),
        (xml(""), None, "no CPU"),
        ('<!DOCTYPE t [<!ENTITY a "b">]><topology/>', None, "entities"),
        (xml('<object type="PU" cpuset="0x1"/>'), None, "without os_index"),
        (xml('<object type="PU" os_index="0" cpuset="many"/>'), None, "not a set of CPUs"),
        (xml(PU + '<object type="PCIDev" pci_busid="4"/>'), None, "not a PCI address"),
        (
            xml(PU + '<object type="PCIDev" pci_busid="0000:04:00.0" pci_link_speed="fast"/>'),
            None,
            "is no number",
        ),
    ],
)
def test_what_is_no_inventory_of_lstopo(text: str, line: int | None, said: str) -> None:
    with pytest.raises(FileError, match=said) as caught:
        lstopo.parse(text, Path("machine.xml"))
    assert caught.value.line == line


def test_hwlocs_bits_and_gaps() -> None:
    """Words of 32 bits, an empty word, and "all above"; format 3 has a bit for each kind."""
    body = (
        '<object type="Machine" cpuset="0xf...f,0x1,,0x1"><object type="PU" os_index="64"/>'
        '<object type="PCIDev" pci_busid="0000:04:00.0" pci_type="0200 [8086:10fb] [0:0] 01 00" '
        'pci_link_speed="4.0"><object type="OSDev" name="eth7" osdev_type="16"/></object></object>'
    )
    (card,) = lstopo.parse(xml(body, "3.0"), Path("m")).cards
    assert (card.ports[0].netdev, card.link, card.node) == ("eth7", Link(2, 8), 0)


def test_memory_beside_the_same_cpus_is_no_node_of_its_own() -> None:
    body = (
        '<object type="NUMANode" os_index="0" cpuset="0x1" local_memory="1024"/>'
        '<object type="NUMANode" os_index="1" cpuset="0x1" local_memory="2048"/>' + PU
    )
    (node,) = lstopo.parse(xml(body), Path("m")).nodes
    assert (node.index, node.memory) == (0, 1024)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("10fb,X,2,10,2,8,n,s", "not a PCI id"),
        ("8086:10fb,X,two,10,2,8,n,s", "are numbers"),
        ("8086:10fb,X,2,10,2,7,n,s", "width x7"),
        ("8086:10fb,X,2,10,2,8,n,s\n8086:10fb,X,2,10,2,8,n,s", "appears twice"),
    ],
)
def test_a_bad_row_of_the_cards_names_its_line(tmp_path: Path, row: str, said: str) -> None:
    path = tmp_path / "nics.csv"
    path.write_text(",".join(cards.COLUMNS) + f"\n{row}\n")
    with pytest.raises(FileError, match=said) as caught:
        cards.read(path)
    assert caught.value.line == 2 + row.count("\n")


@pytest.mark.parametrize(
    ("name", "gbits"),
    [
        ("Ethernet Controller XL710 for 40GbE QSFP+", 40),
        ("NetXtreme II BCM57810 10 Gigabit Ethernet", 10),
        ("RTL8111/8168 PCI Express Gigabit Ethernet Controller", 1),
        ("RTL-8139 Fast Ethernet Adapter", 0.1),
        ("Virtio 1.0 network device", None),
    ],
)
def test_the_speed_in_a_name(name: str, gbits: float | None) -> None:
    assert cards.speed_of_name(name) == gbits


# ---- lspci of any age and with any option: read as it is, or refused ----------------------------


def test_spaces_for_tabs_and_complaints_between_the_lines_do_no_harm() -> None:
    pasted = (
        x520()
        .replace("\t", "    ")
        .replace("    IOMMU", "pcilib: sysfs_read_vpd failed\n    IOMMU")
    )
    (card,) = lspci.parse(f"lspci: Unable to load libkmod\n{pasted}", Path("f")).cards
    assert card.link == Link(2, 8)


def test_a_link_of_a_later_generation_is_said_and_not_guessed() -> None:
    machine = lspci.parse(x520(state="Speed 64GT/s, Width x8"), Path("f"))
    assert machine.cards[0].link is None
    assert any("64 GT/s x8" in note for note in machine.notes)


@pytest.mark.long
def test_an_inventory_changed_at_random_is_read_or_refused_never_a_traceback() -> None:
    """Lines left out, doubled and misspelt: what is made of them is a plan, or an error of ours."""
    chance = random.Random(20260101)
    sources = ["r730.xml", "two-sockets.xml", "two-sockets.lspci", "cloud-machine.lspci"]
    outcomes = set()
    for _ in range(300):
        source = chance.choice(sources)
        lines = (FOLDER / source).read_text().splitlines(keepends=True)
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(lines))
            kind, line = chance.random(), lines[at]
            place = chance.randrange(len(line))
            if kind < 0.3:
                del lines[at]
            elif kind < 0.5:
                lines.insert(at, chance.choice(lines))
            else:
                put = chance.choice('0123456789abcdefx"<>:. -,')
                lines[at] = line[:place] + put + line[place + 1 :]
        try:
            read = lstopo.parse if source.endswith("xml") else by_text
            plan(read("".join(lines), FOLDER / source))
            outcomes.add("read")
        except PpslabError:
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}


def by_text(text: str, path: Path) -> Machine:
    return by_lspci(path.stem, text)


def test_without_root_lspci_says_no_links_and_the_plan_says_so() -> None:
    denied = x520().partition("\tCapabilities")[0] + "\tCapabilities: <access denied>\n"
    machine = lspci.parse(denied, Path("f"))
    assert machine.cards[0].link is None
    assert machine.cards[0].capable == Link(2, 8)  # by its kind
    assert any("as root" in note for note in machine.notes)


def test_nodes_from_a_list_beside_an_old_lspci(tmp_path: Path) -> None:
    old = x520().replace("\tNUMA node: 1\n", "")
    assert any("numa_node" in note for note in lspci.parse(old, Path("f")).notes)
    listed = tmp_path / "nodes"
    listed.write_text("/sys/bus/pci/devices/0000:04:00.0/numa_node:1\n0000:05:00.0 -1\n\n")
    nodes = lspci.read_numa_nodes(listed)
    assert nodes == {"0000:04:00.0": 1}
    assert lspci.parse(old, Path("f"), lspci.Beside(nodes)).cards[0].node == 1
    assert lspci.read_numa_nodes(FOLDER / "two-sockets.numa") == {
        device.address: device.node for device in by_lspci().devices if device.node is not None
    }


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", None, "no PCI device"),
        ("04:00.0 Ethernet controller: Intel 82599ES\n", None, "without -vv"),
        (x520() + "> quoted in a mail\n", 12, "not a line of lspci"),
    ],
)
def test_what_is_no_inventory_of_lspci(text: str, line: int | None, said: str) -> None:
    with pytest.raises(FileError, match=said) as caught:
        lspci.parse(text, Path("machine.lspci"))
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("content", "read", "line", "said"),
    [
        ("0,0\n", lspci.read_cpus, 1, "four numbers"),
        ("# nothing\n", lspci.read_cpus, None, "no CPU"),
        ("0000:04:00.0 one\n", lspci.read_numa_nodes, 1, "a PCI address and a node"),
        ("0000:04:00.0 -1\n", lspci.read_numa_nodes, None, "no device has a node"),
    ],
)
def test_what_is_no_list_beside_lspci(tmp_path: Path, content, read, line, said: str) -> None:
    path = tmp_path / "list"
    path.write_text(content)
    with pytest.raises(FileError, match=said) as caught:
        read(path)
    assert caught.value.line == line


# ---- Servers that the project does not own -------------------------------------------------


ETHERNET, INFINIBAND, WIFI = "0200", "0207", "0280"


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


def test_a_known_card_that_runs_half_of_what_it_could_is_not_guessed_either() -> None:
    """An E810-C could run PCIe 4.0 x16: in an older slot, or in one of half its lanes?"""
    machine = server(device(4, "15.753846", "8086:1592"))
    assert machine.cards[0].links == (Link(3, 16), Link(4, 8))
    (said,) = [each for each in plan(machine).warnings if "PCIe 4.0 x16" in each]
    assert "3.0 x16 or 4.0 x8" in said
    assert server(device(4, "31.507692", "8086:1592")).cards[0].links == (Link(4, 16),)


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
    (_, links, _) = nic_tables.tables(made)
    assert [row[3].text for row in links.rows] == [
        "1 x InfiniBand",
        "1 x 10 Gbit/s",
        "1 x no Ethernet",
    ]


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
