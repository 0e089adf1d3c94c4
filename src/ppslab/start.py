"""Entry point of the command, which Ctrl-C stops while its modules are still being read."""

from __future__ import annotations

import atexit
import os
import signal
from types import FrameType


def _stop(_number: int, _frame: FrameType | None) -> None:
    os.write(2, b"ppslab: stopped\n")
    os._exit(130)  # nothing has been started, so there is nothing to remove


def main() -> None:
    """Run `ppslab`."""
    # Registered first, so called last: Python gives a signal back to the kernel while it ends, and
    # a Ctrl-C there would make a failure of a command that has done its work.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    # Until the command's own modules are read too (cli), a signal ends it quietly.
    from ppslab.cli import main as command  # noqa: PLC0415

    command()
