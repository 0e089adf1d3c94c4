"""A chip that is not filled: the notebook's counters say so, and nbval fails."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ppslab.testbed.backends import capabilities
from tests.system.notebooks.conftest import Nbval, project_copy

pytestmark = pytest.mark.notebook


CELLS = [
    "import ppslab",
    'run = ppslab.open("l3offload").run(["offload-both-ways"], [64], search=False)',
    "run",
    'run.table("counters")',
]


def detached(folder: Path) -> Path:
    """The project with a chip whose program forwards nothing by itself: l3-hw-offloading=no."""
    copy = project_copy(folder)
    file = copy / "labs/l3offload/lab.yml"
    text = file.read_text()
    chip = """      bpf: l3_offload
      switch_chip: {device: CRS326-24G-2S+}
"""
    before, condition, after = text.partition("  - name: offload-both-ways\n")
    assert chip in after
    file.write_text(before + condition + after.replace(chip, "", 1))
    return copy


def test_a_chip_that_does_not_route_fails_the_notebook(nbval: Nbval) -> None:
    if {"bpf", "lpm-trie"} - capabilities.features_of("namespaces"):
        pytest.skip("this kernel has no BPF tables here: ppslab doctor")
    stored = nbval.store(CELLS, PPSLAB_BACKEND="recorded")
    assert "1 of 1 conditions measured" in stored.read_text()
    done = nbval.compare_live(stored, detached(nbval.folder), "namespaces")
    assert done.returncode == 1
    moved = r"offload-both-ways, chip forwarded, 64 bytes: .* stored '1 .*, new '0 \[0, 0\]'"
    assert re.search(moved, done.stdout), done.stdout
