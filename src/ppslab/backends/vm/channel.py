"""The first words with a guest's agent, before a client takes over the channel."""

from __future__ import annotations

import json
import math
import socket
import time
from pathlib import Path
from typing import Any

from ppslab.backends.vm.qemu import Qemu
from ppslab.base.errors import BackendError

#: How often the console is looked at while the agent is silent.
LISTEN_SECONDS = 1.0


class GuestEndedError(BackendError):
    """QEMU ended while somebody waited for the guest's agent; `what`: in which way it ended."""

    def __init__(self, qemu: Qemu) -> None:
        qemu.wait(2)
        self.what = f"the guest ended ({qemu.ending()})"
        super().__init__(f"{self.what}:\n{qemu.last_words()}")


class GuestSilentError(BackendError):
    """The guest's agent did not answer for `waited` seconds, and said nothing for `silent`."""

    def __init__(self, qemu: Qemu, waited: float, silent: float) -> None:
        self.what = f"the guest did not answer in {waited:.0f} s, and was silent for {silent:.0f}"
        super().__init__(f"{self.what}; its last words:\n{qemu.last_words()}")


def connect(qemu: Qemu, path: Path) -> socket.socket:
    """The agent's channel, which QEMU opens as it starts; BackendError where it does not."""
    deadline = time.monotonic() + 30
    while True:
        channel = socket.socket(socket.AF_UNIX)
        try:
            channel.connect(str(path))
            return channel
        except OSError as error:
            channel.close()
            if not qemu.alive() or time.monotonic() > deadline:
                raise BackendError(f"QEMU did not start:\n{qemu.last_words()}") from error
        time.sleep(0.02)


def ask(
    qemu: Qemu,
    channel: socket.socket,
    limit: float,
    op: str,
    *,
    silent: float = math.inf,
    **fields: Any,
) -> Any:
    """One request and its result, before a Client takes over the channel.

    The first is asked before anybody listens: QEMU holds it until the agent opens its port.
    GuestSilentError after `limit` seconds, or `silent` seconds without a new word on its console.
    """
    channel.settimeout(limit)
    begun = heard = time.monotonic()
    words = ""
    channel.sendall(json.dumps({**fields, "id": 0, "op": op}).encode() + b"\n")
    got = b""
    while not got.endswith(b"\n"):
        now = time.monotonic()
        if words != (words := qemu.last_words()):
            heard = now
        patience = min(begun + limit, heard + silent) - now
        if patience <= 0:
            raise GuestSilentError(qemu, now - begun, now - heard)
        channel.settimeout(min(LISTEN_SECONDS, patience))
        try:
            chunk = channel.recv(65536)
        except TimeoutError:
            continue
        except ConnectionError:  # QEMU ended before it read our request
            chunk = b""
        if not chunk:
            raise GuestEndedError(qemu)
        got += chunk
    channel.settimeout(None)
    answer = json.loads(got)
    if "error" in answer:
        raise BackendError(f"the agent in the guest: {answer['error'].get('message')}")
    return answer["result"]
