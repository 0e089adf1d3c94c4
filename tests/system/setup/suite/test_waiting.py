"""What the tests wait with ends no test by itself."""

from __future__ import annotations

import threading

import pytest

from tests.support.waiting import PATIENCE, ctrl_c


def test_ctrl_c_is_pressed_in_its_block() -> None:
    with pytest.raises(KeyboardInterrupt), ctrl_c(lambda: True):
        threading.Event().wait(PATIENCE)


def test_ctrl_c_is_not_pressed_where_its_block_ends_while_the_condition_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It would come after the block, where nothing awaits it, and end the tests."""
    looked, over = threading.Event(), threading.Event()
    join = threading.Thread.join

    def joined(thread: threading.Thread, timeout: float | None = None) -> None:
        over.set()
        join(thread, timeout)

    def holds() -> bool:
        looked.set()
        return over.wait(PATIENCE)

    monkeypatch.setattr(threading.Thread, "join", joined)
    try:
        with ctrl_c(holds):
            assert looked.wait(PATIENCE)
    except KeyboardInterrupt:
        pytest.fail("Ctrl-C after its block")
    assert over.is_set()
