"""A network namespace for a server and browsers: a loopback, and one address of a LAN."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[3]

LAN_ADDRESS = "198.18.0.10"
"""To a browser a page of this address is no secure context, as on any LAN without TLS."""

SET_UP = f"""
ip link set lo up
ip link add lan type dummy 2>/dev/null || ip link add lan type veth peer name nowhere
ip address add {LAN_ADDRESS}/24 dev lan
ip link set lan up
echo ready
read end
"""


class Network:
    """Begins with `with`, and ends with it, and with this process."""

    def __enter__(self) -> Self:
        private = ["unshare", "--net"]
        if os.geteuid() != 0:
            private += ["--user", "--map-root-user"]
        # The holder waits for the end of its input: it ends with us, however we end.
        self._holder = subprocess.Popen(
            [*private, "sh", "-c", SET_UP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._holder.stdout
        assert self._holder.stdout.readline() == "ready\n", "no network namespace here"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._holder.stdin and self._holder.stdout
        self._holder.stdin.close()
        self._holder.wait(timeout=PATIENCE)
        self._holder.stdout.close()

    def argv(self, *command: str) -> list[str]:
        """A command, to be run in this network."""
        others = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
        return ["nsenter", "--target", str(self._holder.pid), "--net", *others, *command]

    def program(self, path: str, folder: Path) -> str:
        """A program that is `path` in this network, for whoever takes one name and no command."""
        made = folder / Path(path).name
        made.write_text(f'#!/bin/sh\nexec {" ".join(self.argv(path))} "$@"\n')
        made.chmod(0o755)
        return str(made)
