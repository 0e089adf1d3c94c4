"""A checkout may lie in a folder whose name a shell would take apart."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from ppslab.model import results
from ppslab.model.lab import lab
from ppslab.testbed.backends import capabilities
from ppslab.testbed.routers.linux import steps
from ppslab.testbed.routers.linux.router import BPF_MODES, BpfMode
from tests.cli.conftest import ROOT, Run

ODD = 'it\'s ein größer "checkout", $HOME'


@pytest.mark.parametrize("mode", BPF_MODES)
def test_a_program_is_attached_from_its_own_path(mode: BpfMode) -> None:
    words = lab.find("fastpath").conditions["routing-fast-path"].linux
    lines = steps.attach(words, ["eth1"], Path("/srv") / ODD, mode)
    assert f"/srv/{ODD}/{words.bpf}.o" in shlex.split(lines[-1])


@pytest.mark.live
@pytest.mark.skipif(
    not {"bpf"} <= capabilities.features_of("namespaces")
    if capabilities.usable("namespaces").usable
    else True,
    reason="namespaces with BPF are needed: ppslab doctor",
)
def test_a_lab_runs_there(tmp_path: Path, ppslab: Run) -> None:
    place = tmp_path / ODD
    for name in ("labs", "topologies", "_build/bin", "_build/bpf"):
        shutil.copytree(ROOT / name, place / name)
    words = ["--condition", "routing-fast-path", "--size", "64", "--no-search"]
    done = ppslab("run", "fastpath", *words, "--backend", "namespaces", PPSLAB_ROOT=str(place))
    assert done.returncode == 0, done.stderr
    (path,) = (place / "results" / "local").iterdir()
    assert results.load(path).state == "completed"
