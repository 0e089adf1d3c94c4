"""lspci of any age and with any option: read as it is, or refused."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ppslab.core.errors import FileError, PpslabError
from ppslab.model.planning.nics.grouping import plan
from ppslab.model.planning.nics.inventories import lspci, lspci_lists, lstopo
from ppslab.model.planning.nics.machine import Machine
from ppslab.model.planning.nics.pcie import Link
from tests.model.planning.awkward import FOLDER, by_lspci, x520

HEADS = [
    "04:00.0 Ethernet controller: Intel Corporation 82599ES 10-Gigabit SFI/SFP+ Network "
    "Connection (rev 01)",
    "0000:04:00.0 Ethernet controller [0200]: Intel Corporation 82599ES 10-Gigabit SFI/SFP+ "
    "Network Connection [8086:10fb] (rev 01)",
    "04:00.0 0200: 8086:10fb (rev 01)",
]


@pytest.mark.parametrize("head", HEADS, ids=["names", "both", "numbers"])
@pytest.mark.parametrize(
    "state",
    [
        "Speed 5GT/s, Width x8, TrErr- Train- SlotClk+ DLActive-",
        "Speed 5GT/s (ok), Width x8 (ok)",
        "Speed 5GT/s, Width x8 (ok)",
    ],
    ids=["pciutils 3.5", "3.6", "3.13"],
)
def test_lspci_of_any_age_and_with_any_of_its_options(head: str, state: str) -> None:
    (card,) = lspci.parse(x520(head, state), Path("f")).cards
    assert (card.name, card.gbits) == ("Intel 82599 (X520)", 10)
    assert (card.link, card.capable, card.node) == (Link(2, 8), Link(2, 8), 1)
    assert (card.payload, card.request, card.place) == (256, 4096, "slot 4-1")
    assert card.ports[0].iommu == 31


def test_spaces_for_tabs_and_complaints_between_the_lines_do_no_harm() -> None:
    pasted = (
        x520()
        .replace("\t", "    ")
        .replace("    IOMMU", "pcilib: sysfs_read_vpd failed\n    IOMMU")
    )
    (card,) = lspci.parse(f"lspci: Unable to load libkmod\n{pasted}", Path("f")).cards
    assert card.link == Link(2, 8)


@pytest.mark.parametrize(
    ("state", "link"),
    [
        ("Speed 2.5GT/s (downgraded), Width x4 (downgraded)", Link(1, 4)),
        ("Speed 5GT/s (ok), Width x0 (downgraded)", None),
        ("Speed unknown, Width x0", None),
    ],
)
def test_a_link_that_runs_less_than_it_could(state: str, link: Link | None) -> None:
    (card,) = lspci.parse(x520(state=state), Path("f")).cards
    assert (card.link, card.capable) == (link, Link(2, 8))


def test_a_link_of_a_later_generation_is_said_and_not_guessed() -> None:
    machine = lspci.parse(x520(state="Speed 64GT/s, Width x8"), Path("f"))
    assert machine.cards[0].link is None
    assert any("64 GT/s x8 is no link of PCIe 1.0 to 5.0" in note for note in machine.notes)


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
    nodes = lspci_lists.read_numa_nodes(listed)
    assert nodes == {"0000:04:00.0": 1}
    assert lspci.parse(old, Path("f"), lspci_lists.Beside(nodes)).cards[0].node == 1
    assert lspci_lists.read_numa_nodes(FOLDER / "two-sockets.numa") == {
        device.address: device.node for device in by_lspci().devices if device.node is not None
    }


def test_a_virtual_function_is_no_port() -> None:
    parent = x520()
    other = x520(
        "04:10.0 Ethernet controller: Intel Corporation 82599 Ethernet Controller Virtual Function"
    )
    (card,) = lspci.parse(parent + other, Path("f")).cards
    assert [port.address for port in card.ports] == ["0000:04:00.0"]


def test_a_domain_of_five_digits_and_its_bridges() -> None:
    bridge = (
        "10000:00:02.0 PCI bridge: Intel Corporation Sky Lake-E PCI Express Root Port A\n"
        "\tBus: primary=00, secondary=01, subordinate=01, sec-latency=0\n"
        "\t\tLnkSta:\tSpeed 8GT/s, Width x4\n"
        "\t\tSltCap:\tAttnBtn- PwrCtrl-\n\t\t\tSlot #12, PowerLimit 25.000W\n\n"
    )
    card = x520("10000:01:00.0 0200: 8086:10fb").replace("\tPhysical Slot: 4-1\n", "")
    (made,) = lspci.parse(bridge + card, Path("f")).cards
    assert (made.root, made.root_links, made.slot) == ("10000:00:02.0", (Link(3, 4),), "12")


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
        ("0,0\n", lspci_lists.read_cpus, 1, "four numbers"),
        ("# nothing\n", lspci_lists.read_cpus, None, "no CPU"),
        ("0000:04:00.0 one\n", lspci_lists.read_numa_nodes, 1, "a PCI address and a node"),
        ("0000:04:00.0 -1\n", lspci_lists.read_numa_nodes, None, "no device has a node"),
    ],
)
def test_what_is_no_list_beside_lspci(tmp_path: Path, content, read, line, said: str) -> None:
    path = tmp_path / "list"
    path.write_text(content)
    with pytest.raises(FileError, match=said) as caught:
        read(path)
    assert caught.value.line == line
