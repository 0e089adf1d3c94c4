"""Inventories: the same machine by two tools, machines that hwloc's own tools can read.

two-sockets.* are one guest of QEMU with four cards of two ports, two behind each of two PCIe
expander buses, in slots 1, 2 (node 0) and 4, 5 (node 1): what QEMU was told is the truth.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ppslab.core.errors import FileError, UsageError
from ppslab.model.planning.nics import cards, servers
from ppslab.model.planning.nics.inventories import lstopo
from ppslab.model.planning.nics.machine import Machine
from ppslab.model.planning.nics.pcie import Link
from tests.model.planning.awkward import FOLDER, INVENTORIES, by_lspci


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


def test_both_tools_agree_on_addresses_and_root_ports() -> None:
    one, other = lstopo.read(FOLDER / "two-sockets.xml"), by_lspci()
    for card, same in zip(one.cards, other.cards, strict=True):
        assert (card.address, card.root) == (same.address, same.root)
        assert [port.address for port in card.ports] == [port.address for port in same.ports]


def test_lspci_knows_what_lstopo_does_not() -> None:
    card = by_lspci().cards[0]
    assert (card.payload, card.request) == (128, 128)


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


def test_the_articles_server() -> None:
    """What the article prints: four slots on CPU2, three and the daughter card on CPU1, six X520.

    The seventh slot is empty, so it is not in an inventory.
    """
    machine = lstopo.read(FOLDER / "r730.xml")
    x520 = [card for card in machine.cards if card.gbits == 10]
    assert [card.slot for card in x520 if card.node == 1] == ["1", "2", "3", "4"]
    assert [card.slot for card in x520 if card.node == 0] == ["5", "6"]
    assert [card.node for card in machine.cards if card.slot == "daughter card"] == [0]
    assert all(card.link == Link(2, 8) for card in x520)
    assert sum(len(card.ports) for card in x520) == 12
    assert sum(node.memory or 0 for node in machine.nodes) == 128 * 2**30
    assert servers.cpu_of(machine.cpu) == servers.load_cpus()["E5-2650 v4"]
    assert any("reconstruction" in note for note in machine.notes)


def test_the_chassis_has_the_articles_counts() -> None:
    slots = servers.chassis("r730")
    assert len(slots) == 7
    assert len(servers.of_cpu(slots, 2)) == 4
    assert len(servers.of_cpu(slots, 1)) == 3
    assert sum(each.height == "low" for each in slots) == 3
    with pytest.raises(UsageError, match="Dell R730"):
        servers.chassis("r7300")


def test_the_articles_processor() -> None:
    cpu = servers.load_cpus()["E5-2650 v4"]
    assert (cpu.base_ghz, cpu.turbo_ghz, cpu.link_gts, cpu.lanes) == (2.2, 2.9, 9.6, 40)
    # 9.6 GT/s are 19.2 GB/s each way, as Intel counts them.
    assert cpu.link_gigabits / 8 == pytest.approx(19.2)
    assert all(each.threads == 2 * each.cores for each in servers.load_cpus().values())


def test_a_small_cloud_machine_has_a_port_that_nobody_knows() -> None:
    """virtio has no PCIe link, and no speed of its own."""
    for machine in (lstopo.read(FOLDER / "cloud-machine.xml"), by_lspci("cloud-machine")):
        (card,) = machine.cards
        assert (card.link, card.capable, card.gbits, card.node) == (None, None, None, 0)


def xml(body: str, version: str = "2.0") -> str:
    return f'<?xml version="1.0"?><topology version="{version}">{body}</topology>'


PU = '<object type="PU" os_index="0" cpuset="0x1"/>'


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


def test_every_card_that_is_known_is_known_by_its_name_too() -> None:
    for each in cards.load().values():
        assert cards.known("", f"Vendor {each.named} (rev 01)") is not None
        assert cards.known(each.id, "") == each
