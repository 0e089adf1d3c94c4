"""Something that happens in mid-stream: whether it ended there."""

from __future__ import annotations

import threading

import pytest

from ppslab.core.during import Meanwhile
from tests.support.waiting import PATIENCE


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
