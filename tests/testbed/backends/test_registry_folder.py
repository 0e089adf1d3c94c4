"""The runtime folder: what a command says that cannot use it, and one command a lab at a time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ppslab.core.errors import CannotHereError, UsageError
from ppslab.testbed.backends import registry
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.live


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PPSLAB_RUNTIME", str(tmp_path / "runtime"))
    return tmp_path / "runtime"


@pytest.mark.usefixtures("runtime")
def test_two_commands_do_not_change_one_lab_at_once() -> None:
    with registry.changing("fastpath"):
        with pytest.raises(UsageError, match="fastpath"), registry.changing("fastpath"):
            pass
        with registry.changing("eoip"):
            pass
    with registry.changing("fastpath"):
        pass


@pytest.mark.usefixtures("runtime")
def test_a_lock_ends_with_its_command_though_what_it_left_goes_on() -> None:
    with registry.changing("fastpath"):
        child = os.fork()
        if child == 0:
            time.sleep(PATIENCE)
            os._exit(0)
    try:
        with registry.changing("fastpath"):
            pass
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_the_second_of_two_ups_is_refused(runtime: Path) -> None:
    with registry.changing("fastpath"):
        done = subprocess.run(
            [f"{sys.prefix}/bin/ppslab", "up", "fastpath"],
            capture_output=True, text=True, check=False, timeout=PATIENCE,
        )  # fmt: skip
        assert done.returncode == 2 and "another command" in done.stderr, done.stderr
    assert not list(runtime.glob("*.agent.json"))


@pytest.mark.parametrize("below", ["file", "/proc"])
def test_a_runtime_folder_that_cannot_be_made_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("PPSLAB_RUNTIME", str(tmp_path / below / "runtime"))
    with pytest.raises(CannotHereError, match="PPSLAB_RUNTIME"):
        registry.folder()
