"""A mistake in a lab's file is told with the file and its line, by the real nft, ip and tc."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ppslab.core.errors import BackendError
from ppslab.measure.testbed.linux import router_of
from ppslab.model.lab import lab as labs
from ppslab.model.lab import topology
from ppslab.model.lab.lab import Lab
from ppslab.testbed.backends import Deployment, open_backend

pytestmark = pytest.mark.live

FIRST, SECOND = "connection-tracking.nft", "ip-filter-25.nft"


@pytest.fixture(scope="module")
def stands() -> Iterator[Deployment]:
    """The wires of the lab."""
    with open_backend("namespaces") as backend, backend.deploy(topology.find("fastpath")) as made:
        yield made


@pytest.fixture
def fastpath(tmp_path: Path) -> Lab:
    """A copy of the lab, two of whose files make one condition's rules."""
    folder = tmp_path / "labs" / "fastpath"
    shutil.copytree(labs.find("fastpath").folder, folder)
    copy = labs.load(folder)
    files = next(c.linux.nft for c in copy.conditions.values() if len(c.linux.nft) > 1)
    assert [Path(file).name for file in files] == [FIRST, SECOND]
    return copy


def told(lab: Lab, stands: Deployment) -> str:
    """What the router says of the condition whose rules are wrong."""
    name = next(c.name for c in lab.conditions.values() if len(c.linux.nft) > 1)
    with pytest.raises(BackendError) as error:
        router_of(lab, stands, topology.find("fastpath")).apply(lab.conditions[name])
    return str(error.value)


def wrong(lab: Lab, file: str, before: str, after: str) -> int:
    """Make a mistake in a file of rules; its line, counted from 1."""
    path = lab.folder / "linux" / file
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))
    return text[: text.index(before)].count("\n") + 1


@pytest.mark.parametrize(
    ("file", "word", "mistake", "below"),
    [
        (FIRST, "state new", "stat new", 0),
        (SECOND, "policy accept", "policy acept", 0),
        # Its syntax is right, and the kernel says so in another way.
        (SECOND, "policy accept;", "policy accept;\njump nowhere\n", 1),
    ],
)
def test_a_word_that_nft_does_not_know_or_the_kernel_refuses(
    fastpath: Lab, stands: Deployment, file: str, word: str, mistake: str, below: int
) -> None:
    line = wrong(fastpath, file, word, mistake) + below
    assert f"labs/fastpath/linux/{file}:{line}:" in told(fastpath, stands)


def test_a_file_that_does_not_end(fastpath: Lab, stands: Deployment) -> None:
    """By a brace; by a line, whose comment would else take the next file's first line with it."""
    path = fastpath.folder / "linux" / SECOND
    whole = path.read_text()
    path.write_text(whole.rstrip().removesuffix("}").rstrip())
    line = path.read_text().count("\n") + 1
    assert f"labs/fastpath/linux/{SECOND}:{line}:" in told(fastpath, stands)
    path.write_text(whole)
    first = path.with_name(FIRST)
    first.write_text(f"{first.read_text().rstrip()}\n# the end")
    line = wrong(fastpath, SECOND, "policy accept", "policy acept")
    assert f"labs/fastpath/linux/{SECOND}:{line}:" in told(fastpath, stands)


@pytest.mark.parametrize(
    ("name", "condition", "file", "before", "after"),
    [
        ("l3offload", "chip-unknown", "one-chip.ip", "link add chip2", "lnk add chip2"),
        # What follows the bridges is a batch of its own.
        ("l3offload", "chip-unknown", "one-chip.ip", "link set dev far mtu", "lnk set dev far mtu"),
        ("queues", "interface-queue", "trees/interface-queue.tc", "qdisc add", "qdsc add"),
    ],
)
def test_a_line_of_a_batch(
    tmp_path: Path, name: str, condition: str, file: str, before: str, after: str
) -> None:
    folder = tmp_path / "labs" / name
    shutil.copytree(labs.find(name).folder, folder)
    lab = labs.load(folder)
    wiring = topology.find(lab.spec.topology)
    line = wrong(lab, file, before, after)
    with (
        open_backend("namespaces") as backend,
        backend.deploy(wiring) as stands,
        pytest.raises(BackendError) as error,
    ):
        router_of(lab, stands, wiring).apply(lab.conditions[condition])
    assert f": {condition}: labs/{name}/linux/{file}:{line}: " in str(error.value)
