"""Keeps a detached guest, and lets many commands talk to its one agent.

    python -m ppslab.testbed.backends.vm.relay NAME SOCKET [MACHINE]

QEMU's channel has room for one client at a time, but two shells on two nodes are the usual
thing. So this process owns QEMU (which dies with it), listens on SOCKET and passes requests on
under numbers of its own. On stdout it says how the start goes, one JSON object a line.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from typing import Any, NoReturn

from ppslab.core.errors import PpslabError
from ppslab.model.lab.machine import Machine
from ppslab.testbed.backends import registry
from ppslab.testbed.backends.agent.protocol import Message, describe
from ppslab.testbed.backends.agent.server import Channel
from ppslab.testbed.backends.vm.guest import Running, start_guest

#: Fields of a request that name another request of the same client.
_REFERENCES = ("pty", "request")


class Relay:
    """Passes messages between clients and the guest's agent."""

    def __init__(self, guest: Channel, facts: dict[str, Any]) -> None:
        self._guest = guest
        self._facts = facts
        self._last = 0
        # By our number of a request: its client, its number there, and the operation.
        self._asked: dict[int, tuple[Channel, Any, str]] = {}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on what a client asks; its commands end with it, as with an agent of its own."""
        client = Channel(reader, writer)
        async for message in client.messages():
            self._ask(client, message)
        client.close()
        for number, (asking, _, operation) in list(self._asked.items()):
            if asking is client:
                del self._asked[number]
                if operation in ("run", "pty"):
                    self._guest.send({"id": 0, "op": "cancel", "request": number})

    async def listen(self) -> None:
        """Pass on the guest's replies, until it ends.

        While a client does not read, the guest is not read: then its agent stops the flood.
        """
        async for message in self._guest.messages():
            number = message.get("id") or 0
            if number not in self._asked:
                continue  # its client has gone
            client, theirs, operation = self._asked[number]
            if "result" in message or "error" in message:
                del self._asked[number]
                if operation == "facts" and "result" in message:
                    message["result"].update(self._facts)
            client.send({**message, "id": theirs})
            await client.drained()

    def _ask(self, client: Channel, message: Message) -> None:
        ours = {theirs: number for number, (who, theirs, _) in self._asked.items() if who is client}
        for field in _REFERENCES:
            if field in message:
                message[field] = ours.get(message[field])
        if "id" not in message:  # keys and window sizes get no reply
            self._guest.send(message)
            return
        self._last += 1
        self._asked[self._last] = (client, message["id"], str(message.get("op")))
        self._guest.send({**message, "id": self._last})


def _say(message: Message) -> None:
    try:
        print(json.dumps(message), flush=True)
    except OSError:
        os._exit(1)  # our starter has gone: we end, and QEMU with us


def main(arguments: list[str]) -> NoReturn:
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    name, path, *more = arguments
    try:
        machine = Machine.model_validate_json(more[0]) if more else None
        running = start_guest(name, lambda words: _say({"progress": words}), None, machine)
        server = socket.socket(socket.AF_UNIX)
        server.bind(path)
        server.listen()
    except PpslabError as error:
        _say({"error": describe(error)})
        os._exit(1)
    asyncio.run(_relay(running, server))
    os._exit(0)


async def _relay(running: Running, server: socket.socket) -> None:
    reader, writer = await asyncio.open_unix_connection(sock=running.channel)
    relay = Relay(Channel(reader, writer), running.facts)
    listening = await asyncio.start_unix_server(relay.serve, sock=server)
    _say({"ready": {**running.facts, "qemu_pid": running.qemu.pid}})
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    await relay.listen()
    listening.close()


if __name__ == "__main__":
    registry.folder()
    main(sys.argv[1:])
