"""What has to be finished before Ctrl-C ends a command."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from ppslab.core.signals import ENDING, finished_first


def press(number: int = signal.SIGINT) -> None:
    os.kill(os.getpid(), number)


def test_a_block_is_finished_first() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), finished_first():
        press()
        done.append("all of it")
    assert done == ["all of it"]


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
