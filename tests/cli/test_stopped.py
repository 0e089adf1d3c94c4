"""What a command that is stopped says on its way out."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ppslab import cli
from ppslab.cli.measuring import soak
from ppslab.core.errors import BackendError


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
    """`ppslab soak` in which this happens: its exit code, and what it says of it."""

    def end(error: BaseException) -> tuple[object, str]:
        def run(*_: object) -> None:
            raise error

        monkeypatch.setattr(soak, "run", run)
        monkeypatch.setattr(sys, "argv", ["ppslab", "soak", "fastpath", "--load", "1"])
        with pytest.raises(SystemExit) as exited:
            cli.main()
        return exited.value.code, capsys.readouterr().err

    return end


def test_ctrl_c_says_that_nothing_is_left_and_where_the_record_is(
    ended: Callable[[BaseException], tuple[object, str]],
) -> None:
    stopped = KeyboardInterrupt()
    stopped.add_note("the results until then are in a.aborted.json")
    assert ended(stopped) == (
        130,
        "ppslab: stopped; ppslab has removed everything that it started\n"
        "the results until then are in a.aborted.json\n"
        "to continue, repeat the command with --resume and that file\n",
    )


def test_before_anything_was_measured_there_is_no_record(
    ended: Callable[[BaseException], tuple[object, str]],
) -> None:
    said = "ppslab: stopped; ppslab has removed everything that it started\n"
    assert ended(KeyboardInterrupt()) == (130, said)


def test_what_is_in_the_message_already_is_not_said_twice(
    ended: Callable[[BaseException], tuple[object, str]],
) -> None:
    failed = BackendError("gone\nnot all was put back")
    failed.add_note("not all was put back")
    assert ended(failed)[1].count("not all was put back") == 1
