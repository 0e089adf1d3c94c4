"""What has to be finished before Ctrl-C ends a command, and what happens in mid-stream."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from ppslab.core.processes import ENDING, Meanwhile, finished_first
from tests.support.waiting import PATIENCE


def press(number: int = signal.SIGINT) -> None:
    os.kill(os.getpid(), number)


def test_the_second_time_it_is_not() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), finished_first():
        press()
        press()
        done.append("never")
    assert not done


def test_what_the_block_raises_is_not_lost() -> None:
    with pytest.raises(KeyboardInterrupt) as caught, finished_first():
        press()
        raise ValueError
    assert isinstance(caught.value.__context__, ValueError)


def test_nothing_is_left_of_it() -> None:
    before = [signal.getsignal(number) for number in ENDING]
    with finished_first():
        assert signal.getsignal(signal.SIGINT) != before[0]
    assert [signal.getsignal(number) for number in ENDING] == before


def test_a_thread_gets_no_signals() -> None:
    done = []

    def work() -> None:
        with finished_first():
            done.append("it")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == ["it"]


def test_an_act_that_ends_inside_the_block() -> None:
    done = threading.Event()
    with Meanwhile(0.0, done.set) as acting:
        acting._timer.join(PATIENCE)
    assert done.is_set()
    assert not acting.outlasted


def test_an_act_that_outlasts_the_block_is_waited_for_and_told() -> None:
    begun, let_go = threading.Event(), threading.Event()

    def act() -> None:
        begun.set()
        let_go.wait(PATIENCE)

    acting = Meanwhile(0.0, act)
    # It is let go once the block has seen that it has not ended.
    cancel = acting._timer.cancel
    acting._timer.cancel = lambda: (cancel(), let_go.set())  # type: ignore[method-assign]
    with acting:
        assert begun.wait(PATIENCE)
    assert acting.outlasted
    assert let_go.is_set()


def test_what_fails_in_the_middle_fails_the_block() -> None:
    def act() -> None:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"), Meanwhile(0.0, act) as acting:
        acting._timer.join(PATIENCE)
