"""The backend containerlab, with doubles of the programs that it calls (support/doubles)."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ppslab.model.lab import topology
from ppslab.testbed.backends import Backend, Deployment, open_backend, registry
from ppslab.testbed.backends.capabilities import tools
from ppslab.testbed.backends.containerlab.agent import MARK

DOUBLES = Path(__file__).parents[3] / "support/doubles/bin"

LAB = """\
name: small
topology:
  nodes:
    dut:
      kind: linux
      image: ppslab/linux-router:latest
      sysctls: {net.ipv4.ip_forward: "1"}
      exec:
        - ip address add 198.18.1.1/24 dev eth1
    tester: {kind: linux, image: "ppslab/generator:latest"}
  links:
    - endpoints: ["tester:eth1", "dut:eth1"]
"""

HALF = '{"name": "dut"}'


class Doubles:
    """The programs' state and their faults."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.state = folder / "state"
        self.state.mkdir()
        self._patch = patch

    def faults(self, *words: str) -> None:
        self._patch.setenv("CLAB_DOUBLE_FAULTS", " ".join(words))

    def answers(self, *lines: str) -> None:
        (self.state / "answers").write_text("".join(f"{line}\n" for line in lines))

    def containers(self) -> list[str]:
        return sorted(path.name for path in self.state.glob("clab-*"))

    def calls(self) -> list[list[str]]:
        return [json.loads(line) for line in (self.state / "calls").read_text().splitlines()]


def doubled(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[Doubles]:
    made = Doubles(folder, patch)
    patch.setenv("CLAB_DOUBLE_STATE", str(made.state))
    patch.setenv("CLAB_DOUBLE_LINKS", "no")
    patch.setenv("PPSLAB_CACHE", str(folder / "cache"))
    patch.setenv("PATH", f"{DOUBLES}:{Path(sys.executable).parent}:{os.environ['PATH']}")
    tools._says.cache_clear()
    yield made
    tools._says.cache_clear()
    made.faults()
    registry.sweep()


def left(doubles: Doubles, file: Path) -> list[str]:
    """Whatever a run may leave."""
    cache = file.parent / "cache/containerlab"
    notes = registry.folder().glob(f"*{registry.CONTAINERS}")
    return [
        *doubles.containers(),
        *(path.name for path in file.parent.glob(".*.yml")),
        *(path.name for path in (cache.iterdir() if cache.exists() else ())),
        *(path.name for path in notes),
    ]


def plain(call: list[str]) -> list[str]:
    """A call without the mark that each has."""
    marked = [n for n, word in enumerate(call) if word.startswith(f"{MARK}=")]
    return [word for n, word in enumerate(call) if n not in marked and n + 1 not in marked]


@pytest.fixture
def doubles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Doubles]:
    """For one test."""
    yield from doubled(tmp_path, monkeypatch)


@pytest.fixture(scope="class")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Doubles, Deployment]]:
    """For the tests that only run commands."""
    folder = tmp_path_factory.mktemp("standing")
    (folder / "small.clab.yml").write_text(LAB)
    wiring = topology.load(folder / "small.clab.yml", foreign=True)
    with pytest.MonkeyPatch.context() as patch:
        for made in doubled(folder, patch):
            with open_backend("containerlab") as driven, driven.deploy(wiring, "small-1") as lab:
                yield made, lab


@pytest.fixture
def deployed(standing: tuple[Doubles, Deployment]) -> Deployment:
    return standing[1]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.clab.yml"
    path.write_text(LAB)
    return path


@pytest.fixture
def driven(doubles: Doubles) -> Iterator[Backend]:
    with open_backend("containerlab") as opened:
        yield opened
