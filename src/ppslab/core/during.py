"""Do something while something else runs, so many seconds into it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType


class Meanwhile:
    """Calls `act` in a thread after `seconds`; at the end of its `with` block it has ended.

    What `act` raises is raised at the end of the block, unless the block raised first.
    A block that ends early waits for an act that has begun, and cancels one that has not.
    `outlasted`, after the block: the act had not ended when the block did.
    """

    def __init__(self, seconds: float, act: Callable[[], None]) -> None:
        self._act = act
        self._failed: BaseException | None = None
        self._ended = False
        self.outlasted = False
        self._timer = threading.Timer(seconds, self._run)
        self._timer.daemon = True

    def _run(self) -> None:
        try:
            self._act()
        except BaseException as error:
            self._failed = error
        self._ended = True

    def __enter__(self) -> Meanwhile:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.outlasted = not self._ended
        self._timer.cancel()
        self._timer.join()
        if error is None and self._failed is not None:
            raise self._failed
