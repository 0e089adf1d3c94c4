"""Keeps a detached guest, and lets many commands talk to its one agent.

    python -m ppslab.backends.vm.relay NAME SOCKET [MACHINE]

QEMU's channel has room for one client at a time, but two shells on two nodes are the usual
thing. So this process owns QEMU (which dies with it), listens on SOCKET and passes requests on
under numbers of its own. On stdout it says how the start goes, one JSON object a line.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from typing import Any, NoReturn

from ppslab.backends import registry
from ppslab.backends.agent.loop import READ, WRITE, Loop
from ppslab.backends.agent.protocol import Channel, Message, describe
from ppslab.backends.vm.guest import start_guest
from ppslab.base.errors import PpslabError
from ppslab.lab.machine import Machine, plug

#: Fields of a request that name another request of the same client.
_REFERENCES = ("pty", "request")


class Relay:
    """Passes messages between clients and the guest's agent."""

    def __init__(self, loop: Loop, guest: int, facts: dict[str, Any]) -> None:
        self._loop = loop
        self._facts = facts
        self._last = 0
        # By our number of a request: its client, its number there, and the operation.
        self._asked: dict[int, tuple[Channel, Any, str]] = {}
        self._behind: set[Channel] = set()
        self._guest = _GuestChannel(
            loop, guest, guest, got=self._replied, gone=self._guest_gone, slow=_no_matter
        )

    def serve(self, server: socket.socket) -> None:
        """Accept clients."""
        server.setblocking(False)

        def accept() -> None:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            handle = connection.detach()
            Channel(self._loop, handle, handle, got=self._asks, gone=self._hung_up, slow=self._slow)

        self._loop.watch(server, READ, accept)

    def _asks(self, client: Channel, message: Message) -> None:
        ours = {theirs: mine for mine, (who, theirs, _) in self._asked.items() if who is client}
        for field in _REFERENCES:
            if field in message:
                message[field] = ours.get(message[field])
        if "id" not in message:  # keys and window sizes get no reply
            self._guest.send(message)
            return
        self._last += 1
        self._asked[self._last] = (client, message["id"], str(message.get("op")))
        self._guest.send({**message, "id": self._last})

    def _replied(self, _: Channel, message: Message) -> None:
        number = message.get("id") or 0
        if number not in self._asked:
            return  # its client has gone
        client, theirs, operation = self._asked[number]
        if "result" in message or "error" in message:
            del self._asked[number]
            if operation == "facts" and "result" in message:
                message["result"].update(self._facts)
        client.send({**message, "id": theirs})

    def _hung_up(self, client: Channel) -> None:
        """A client's commands end with it, as with an agent of its own."""
        for number, (who, _, operation) in list(self._asked.items()):
            if who is client:
                del self._asked[number]
                if operation in ("run", "pty"):
                    self._guest.send({"id": 0, "op": "cancel", "request": number})

        self._slow(client, False)

    def _slow(self, client: Channel, slow: bool) -> None:
        """While a client does not read, the guest is not read: then its agent stops the flood."""
        (self._behind.add if slow else self._behind.discard)(client)
        self._guest.pause(bool(self._behind))

    def _guest_gone(self, _: Channel) -> None:
        os._exit(0)


class _GuestChannel(Channel):
    """A channel whose reading can pause."""

    _paused = False

    def pause(self, paused: bool) -> None:
        """Pause or resume reading."""
        self._paused = paused
        self._ask()

    def _ask(self) -> None:
        if not self._paused:
            super()._ask()
        elif self._out:
            self._loop.watch(self._read, WRITE, self._flush)
        else:
            self._loop.forget(self._read)


def _no_matter(_: Channel, __: bool) -> None:
    pass


def _say(message: Message) -> None:
    try:
        print(json.dumps(message), flush=True)
    except OSError:
        os._exit(1)  # our starter has gone: we end, and QEMU with us


def main(arguments: list[str]) -> NoReturn:
    """Run as the module's docstring says; never returns."""
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    name, path, *more = arguments
    try:
        machine = Machine.model_validate_json(more[0]) if more else None
        plugged = plug(machine) if machine else ()
        running = start_guest(name, lambda words: _say({"progress": words}), None, machine, plugged)
        server = socket.socket(socket.AF_UNIX)
        server.bind(path)
        server.listen()
    except PpslabError as error:
        _say({"error": describe(error)})
        os._exit(1)
    loop = Loop()
    Relay(loop, running.channel.detach(), running.facts).serve(server)
    _say({"ready": {**running.facts, "qemu_pid": running.qemu.pid}})
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    while True:
        loop.step()


if __name__ == "__main__":
    registry.folder()
    main(sys.argv[1:])
