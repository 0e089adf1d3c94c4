"""Inventories by lstopo: a machine that exists, odd machines, and files to refuse.

two-sockets.xml is a guest of QEMU with four cards of two ports, two behind each of two PCIe
expander buses, in slots 1, 2 (node 0) and 4, 5 (node 1): QEMU's own options are the truth.
The odd machines are made up, in the words of hwloc2.dtd.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from ppslab.core.errors import FileError, PpslabError, UsageError
from ppslab.model.planning.nics import cards, lstopo
from ppslab.model.planning.nics.grouping import plan
from ppslab.model.planning.nics.machine import Machine
from ppslab.model.planning.nics.pcie import Link
from ppslab.show import nic_tables

PU = '<object type="PU" os_index="0" cpuset="0x1"/>'
FOLDER = Path(__file__).resolve().parents[3] / "book" / "numa" / "inventories"
INVENTORIES = sorted(FOLDER.glob("*.xml"))


def test_the_inventory_has_what_qemu_was_told() -> None:
    machine = lstopo.read(FOLDER / "two-sockets.xml")
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


@pytest.mark.long
def test_an_inventory_changed_at_random_is_read_or_refused_never_a_traceback() -> None:
    """Lines left out, doubled and misspelt: what is made of them is a plan, or an error of ours."""
    chance = random.Random(20260101)
    sources = ["r730.xml", "two-sockets.xml", "cloud-machine.xml"]
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
                put = chance.choice('0123456789abcdefx"<>:. -,²')
                lines[at] = line[:place] + put + line[place + 1 :]
        try:
            plan(lstopo.parse("".join(lines), FOLDER / source))
            outcomes.add("read")
        except PpslabError:
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}


# ---- Servers that the project does not own -------------------------------------------------


ETHERNET, INFINIBAND, WIFI = "0200", "0207", "0280"


def device(
    bus: int,
    rate: str,
    pci_id: str = "15b3:101b",
    kind: str = ETHERNET,
    name: str = "ens1",
    function: int = 0,
) -> str:
    """A function as hwloc writes it."""
    return (
        f'<object type="PCIDev" pci_busid="0000:{bus:02x}:00.{function}" pci_link_speed="{rate}" '
        f'pci_type="{kind} [{pci_id}] [0000:0000] 00 00"><object type="OSDev" name="{name}" '
        'osdev_type="2"/></object>'
    )


def server(*devices: str, cpu: str = "", speeds: dict[str, float] | None = None) -> Machine:
    """A machine of one node as hwloc writes it."""
    info = f'<info name="CPUModel" value="{cpu}"/>' if cpu else ""
    body = f'<object type="Machine" cpuset="0x1">{info}{PU}{"".join(devices)}</object>'
    text = f'<?xml version="1.0"?><topology version="2.0">{body}</topology>'
    return lstopo.parse(text, Path("machine.xml"), speeds)


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


# ---- Speeds and virtual functions ---------------------------------------------------------------


def test_a_speed_that_a_warning_asks_for_is_taken() -> None:
    unknown = server(device(4, "15.753846"))
    (warning,) = [each for each in plan(unknown).warnings if "--speed" in each]
    assert "--speed 15b3:101b=GBITS" in warning
    (card,) = server(device(4, "15.753846"), speeds=cards.speeds_of(["15b3:101b=200"])).cards
    assert card.gbits == 200
    with pytest.raises(UsageError, match=r"8086:10fb: no card.*15b3:101b"):
        server(device(4, "15.753846"), speeds={"8086:10fb": 10.0})


@pytest.mark.parametrize("word", ["x520=10", "8086:10fb", "8086:10fb=0", "8086:10fb=1601"])
def test_a_speed_that_is_none(word: str) -> None:
    with pytest.raises(UsageError, match="8086:10fb=10"):
        cards.speeds_of([word])


def test_usnic_by_its_id_is_no_port() -> None:
    """Four VICs with three usNIC functions each: 4 ports, not 16."""
    functions = (
        device(bus, "4.0", "1137:00cf" if function else "1137:0043", function=function)
        for bus in (4, 5, 6, 7)
        for function in range(4)
    )
    made = server(*functions)
    assert [len(card.ports) for card in made.cards] == [1] * 4
    assert "12 virtual functions are on" in "\n".join(made.notes)


@pytest.mark.parametrize(("room", "read"), [(0, True), (-1, False)])
def test_a_file_may_be_as_long_as_any_text(
    room: int, read: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f'<topology version="2.0">{PU}</topology>'
    monkeypatch.setattr(lstopo.disk, "TEXT", len(text) + room)
    if read:
        assert lstopo.parse(text, Path("a.xml")).nodes
    else:
        with pytest.raises(FileError, match="too large"):
            lstopo.parse(text, Path("a.xml"))


def bridges(*addresses: str) -> str:
    """Bridges below one another, and a card below the last."""
    text = """<object type="PCIDev" pci_busid="0000:09:00.0"
        pci_type="0200 [8086:10fb] [0000:0000] 01" pci_link_speed="4.0"/>"""
    for address in reversed(addresses):
        text = f'''<object type="Bridge" bridge_type="1-1" bridge_pci="0000:[01-0a]"
            pci_busid="{address}" pci_type="0604 [8086:2f02] [0000:0000] 01">{text}</object>'''
    return f'<topology version="2.0"><object type="Machine">{PU}{text}</object></topology>'


def test_bridges_that_go_round_in_a_ring_are_followed_once() -> None:
    line = lstopo.parse(bridges("0000:00:01.0", "0000:01:00.0", "0000:02:00.0"), Path("a.xml"))
    (card,) = line.cards
    assert card.root == "0000:00:01.0"
    ring = lstopo.parse(bridges("0000:00:01.0", "0000:01:00.0", "0000:00:01.0"), Path("a.xml"))
    assert len(ring.cards) == 1
