"""What a command that is stopped says on its way out."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ppslab import cli
from ppslab.cli.measuring import run as command


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A run folder of its own; the signals as they were."""
    monkeypatch.setenv("PPSLAB_RUNTIME", str(tmp_path))
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[BaseException], tuple[object, str]]:
    """`ppslab run` in which this happens: its exit code, and what it says of it."""

    def end(error: BaseException) -> tuple[object, str]:
        def run(*_: object) -> None:
            raise error

        monkeypatch.setattr(command, "run", run)
        monkeypatch.setattr(sys, "argv", ["ppslab", "run", "fastpath"])
        with pytest.raises(SystemExit) as exited:
            cli.main()
        return exited.value.code, capsys.readouterr().err

    return end


def test_ctrl_c_says_that_nothing_is_left_and_where_the_record_is(
    ended: Callable[[BaseException], tuple[object, str]],
) -> None:
    stopped = KeyboardInterrupt()
    stopped.add_note("what was measured until then is in a.aborted.json")
    code, said = ended(stopped)
    assert code == 130
    assert "a.aborted.json" in said
