"""An agent that does not start: why is told, soon, and with a sign of life before."""

from __future__ import annotations

import time
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from ppslab.core.errors import BackendError
from ppslab.testbed.backends import namespaces
from ppslab.testbed.backends.backend import Backend

WAITS = 300.0


def start(monkeypatch: pytest.MonkeyPatch, folder: Path, program: str) -> float:
    """Try to start a program that is no agent; the seconds that it took to fail."""
    (folder / "noagent.py").write_text(program)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setattr(
        namespaces.credentials, "clean_environment", lambda: {"PYTHONPATH": str(folder)}
    )
    began = time.monotonic()
    # What it may take to end when it is told to, as containerlab's agent does.
    namespaces.open_agent("namespaces", "noagent", Backend, detach=True, seconds=WAITS)
    return time.monotonic() - began


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import sys; sys.exit('no such kernel')", "no such kernel"),
        ("raise SystemExit(7)", "7"),
        ("import os; os.kill(os.getpid(), 9)", "9"),
    ],
)
def test_how_it_ended_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, program: str, said: str
) -> None:
    with pytest.raises(BackendError, match=said):
        start(monkeypatch, tmp_path, program)


@pytest.mark.long
def test_one_that_hangs_is_told_of_meanwhile_and_ended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not after the five minutes that it may take to take labs down: it has none."""
    monkeypatch.setattr(namespaces, "_START_SECONDS", 2.0)
    monkeypatch.setattr(namespaces, "_QUIET_SECONDS", 0.5)
    # A tenth of a second each time it is asked, whatever else the machine does.
    clock = SimpleNamespace(monotonic=count(0.0, 0.1).__next__, sleep=lambda _: None)
    monkeypatch.setattr(namespaces, "time", clock)
    began = time.monotonic()
    with pytest.raises(BackendError, match="2 s"):
        start(monkeypatch, tmp_path, "import time\ntime.sleep(600)")
    assert time.monotonic() - began < WAITS / 2
    assert capsys.readouterr().err.count("\n") == 3
