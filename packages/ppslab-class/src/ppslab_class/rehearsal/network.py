"""A bad network between learners and server, made of TCP alone: late packets, and none for a while.

What a network loses, TCP sends again after its timeout of 200 ms at least (RFC 6298, with Linux's
floor), so loss is shown as lateness.  While the network is out, nothing passes and nobody connects.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from ppslab_class.rehearsal.server_process import ServerProcess

PACKET = 1460
"""Bytes of a segment; each is lost or not by itself."""
RETRANSMIT_SECONDS = 0.2
KILLED_SECONDS = 1.0
"""For so long there is no server: learners notice."""


class BadNetwork:
    """Passes connections on to `target`, a port of this machine.

    loss: the share of packets that come late by a retransmission, or two, or three.
    """

    def __init__(self, target: int, loss: float, seed: int) -> None:
        self.target = target
        self.loss = loss
        self.port = 0
        self._random = random.Random(seed)
        self._up = asyncio.Event()
        self._up.set()

    @asynccontextmanager
    async def standing(self) -> AsyncIterator[None]:
        """Pass on while this is open."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield
        finally:
            server.close()

    async def go_out(self, seconds: float) -> None:
        """Nothing passes for so long."""
        self._up.clear()
        await asyncio.sleep(seconds)
        self._up.set()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # The loop ends with connections open, and would print each one's end.
        with suppress(asyncio.CancelledError):
            await self._pass_on(reader, writer)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._up.wait()
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.close()
            return
        both = (self._pass(reader, far_writer), self._pass(far_reader, writer))
        await asyncio.gather(*both, return_exceptions=True)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(PACKET * 10):
                await self._up.wait()
                await asyncio.sleep(self.late(len(data)))
                writer.write(data)
                await writer.drain()
        finally:
            with suppress(OSError):
                writer.close()

    def late(self, size: int) -> float:
        """Seconds until the last of so many bytes is there."""
        late = 0.0
        for _ in range(0, size, PACKET):
            wait = RETRANSMIT_SECONDS
            while self._random.random() < self.loss:
                late, wait = late + wait, wait * 2
        return late


async def go_wrong(
    server: ServerProcess,
    network: BadNetwork,
    *,
    kill: bool,
    outage_seconds: float,
    tell: Callable[[str], None],
) -> None:
    """What is to go wrong in mid-class, and is put right: the server first, then the network."""
    if kill:
        tell("the server is killed")
        server.kill()
        await asyncio.sleep(KILLED_SECONDS)
        await asyncio.to_thread(server.start)
        tell("it is back")
    if outage_seconds:
        tell(f"the network is out for {outage_seconds:g} s")
        await network.go_out(outage_seconds)
        tell("it is back")
