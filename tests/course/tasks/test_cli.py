"""`ppslab task` as a learner types it, on a lab that stands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.core.errors import UsageError
from ppslab.testbed.backends import capabilities
from tests.cli.conftest import Run, ppslab, runtime

__all__ = ["ppslab", "runtime"]

needs_namespaces = pytest.mark.skipif(
    not capabilities.usable("namespaces").usable
    or bool({"bpf", "nft", "conntrack", "u32"} - capabilities.features_of("namespaces")),
    reason="namespaces with bpf, nft and conntrack are needed: ppslab doctor",
)


@pytest.fixture
def task(ppslab: Run, tmp_path: Path) -> Iterator[Run]:
    """`ppslab task fastpath`, with a memory of its own; the lab is taken down afterwards."""

    def run(*words: str, **more: str) -> object:
        return ppslab("task", "fastpath", *words, XDG_STATE_HOME=str(tmp_path), **more)

    yield run  # type: ignore[misc]
    run("end")


@pytest.mark.live
@pytest.mark.frames  # its check counts 200 packets, which share the backlog with every test's
@needs_namespaces
def test_a_task_from_start_to_done(task: Run, ppslab: Run, tmp_path: Path) -> None:
    listed = task("list")
    assert listed.returncode == 0
    assert "open-it" in listed.stdout
    assert task("check").returncode == 2, "nothing was started"
    started = task("start")
    assert started.returncode == 0, started.stderr
    failed = task("check")
    assert failed.returncode == 1
    assert "pass  Packets from port 1 reach port 2" in failed.stdout
    assert "fail  The stack" in failed.stdout
    assert "fib_forward.o" in task("solve").stdout
    done = task("check")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ppslab task fastpath start drop-one-stream" in done.stdout
    later = task("--to", "forgotten-queue")
    assert later.returncode == 0, later.stderr
    assert "deployed anew" in later.stdout
    kept = json.loads((tmp_path / "ppslab/tasks/fastpath-linux.json").read_text())
    assert kept["at"] == "forgotten-queue"
    assert list(kept["done"]) == ["open-it"]
    assert "fastpath is down" in task("end").stdout
    assert "no lab is up" in ppslab("status").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("strat",), '"start"'),
        (("start", "open-in"), '"open-it"'),
        (("check", "--to", "open-it"), "--to"),
    ],
)
def test_a_wrong_word_is_told(
    words: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("PPSLAB_RUNTIME", str(tmp_path / "r"))
    found = CliRunner().invoke(app, ["task", "fastpath", *words])
    assert isinstance(found.exception, UsageError), found.output
    assert said in str(found.exception)
