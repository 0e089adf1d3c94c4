"""Doubles of containerlab, docker and curl (support/doubles): their state, and their faults."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ppslab.testbed.backends import registry
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
    tester: {kind: linux, image: "ppslab/generator:latest", network-mode: none}
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
    tools.containerlab_tools.cache_clear()
    yield made
    tools.containerlab_tools.cache_clear()
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
