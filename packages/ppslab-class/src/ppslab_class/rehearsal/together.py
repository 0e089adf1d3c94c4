"""Learners that all learn at once, while somebody watches the server."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable


async def learn(learners: Iterable[Coroutine[None, None, None]], watch: asyncio.Task[None]) -> None:
    """Until every learner is done, or the watch raises: without a server nobody would ever be.

    Whatever ends this, Ctrl-C too, ends learners and watch, and nothing is printed about them.
    """
    learning = asyncio.gather(*learners)
    try:
        await asyncio.wait((learning, watch), return_when=asyncio.FIRST_COMPLETED)
        if watch.done():
            await watch
        await learning
    finally:
        learning.cancel()
        watch.cancel()
        # Nobody would ask the learners how they ended, and asyncio prints that with a traceback.
        await asyncio.gather(learning, watch, return_exceptions=True)
