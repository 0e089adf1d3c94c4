"""Streams that go to four CPUs and not to one: the notebook's table shows it, and nbval fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.testbed.backends import capabilities
from tests.system.notebooks.conftest import Nbval, project_copy

pytestmark = pytest.mark.notebook

CELLS = [
    "import ppslab",
    """run = ppslab.open("cores").run(["one-core"], search=False)""",
    "run",
    """run.table("spread")""",
]


def shared_out(folder: Path) -> Path:
    """The project in which what the port receives goes to each CPU in turn."""
    copy = project_copy(folder)
    lab = copy / "labs/cores/lab.yml"
    text = lab.read_text()
    one = "port_queues: {eth1: {cpus: [0]}}"
    assert one in text.partition("- name: one-core\n")[2].partition("- name:")[0]
    lab.write_text(text.replace(one, "port_queues: {eth1: {cpus: [0, 1, 2, 3]}}", 1))
    return copy


@pytest.mark.weekly
def test_streams_on_all_cpus_fail_the_notebook(nbval: Nbval) -> None:
    if "numa" not in capabilities.features_of("vm"):
        pytest.skip("no guest with four CPUs: ppslab doctor")
    stored = nbval.store(CELLS, PPSLAB_BACKEND="recorded")
    assert "1 of 1 conditions measured" in stored.read_text()
    done = nbval.compare_live(stored, shared_out(nbval.folder), "vm")
    assert done.returncode == 1
    assert "CPUs at work" in done.stdout, done.stdout
