"""A program that stands a topology up and waits to be ended."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ppslab.testbed.backends import registry
from tests.testbed.backends.conftest import LONE

# A program with a lab: says which namespaces its nodes have, then works until something ends it.
PROGRAM = """
import sys, time
from ppslab.model.lab import topology
from ppslab.testbed.backends import open_backend
from tests.testbed.backends.conftest import namespaces_of
with open_backend("namespaces") as backend, backend.deploy(topology.load(sys.argv[1])) as lab:
    node = lab.node("n")
    node.run(["sh", "-c", "setsid sleep 4720 > /dev/null 2>&1 &"])
    print(backend.entry.agent_pid, *namespaces_of(lab), flush=True)
    {work}
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[list[str]]:
    path = tmp_path / "t.clab.yml"
    path.write_text(LONE)
    yield [sys.executable, "-c", PROGRAM, str(path)]
    registry.sweep()
