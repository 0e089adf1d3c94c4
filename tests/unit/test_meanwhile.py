"""Something that happens in mid-stream: whether it ended there."""

from __future__ import annotations

import threading
import time

import pytest

from ppslab.meanwhile import Meanwhile


def test_an_act_that_ends_inside_the_block() -> None:
    done = threading.Event()
    with Meanwhile(0.0, done.set) as acting:
        assert done.wait(5)
        time.sleep(0.05)
    assert not acting.outlasted


def test_an_act_that_outlasts_the_block_is_waited_for_and_told() -> None:
    begun, let_go = threading.Event(), threading.Event()

    def act() -> None:
        begun.set()
        let_go.wait(5)

    with Meanwhile(0.0, act) as acting:
        assert begun.wait(5)
        threading.Timer(0.05, let_go.set).start()
    assert acting.outlasted
    assert let_go.is_set()


def test_what_fails_in_the_middle_fails_the_block() -> None:
    def act() -> None:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"), Meanwhile(0.0, act):
        time.sleep(0.1)
