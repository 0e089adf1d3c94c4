"""The testers under test, each on a path through a router that can be told to lose frames.

ppstraffic runs in namespaces; routeros speaks to a double.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ppslab.core import paths
from ppslab.core.errors import CannotHereError
from ppslab.model.lab import topology
from ppslab.testbed.backends import Node, capabilities
from ppslab.testbed.testers import testers
from ppslab.testbed.testers.contract import Tester
from tests.conftest import Opened
from tests.support.doubles import routeros_rest

LOSES_EVERY = 50
PORTS = {"p1": "eth1", "p2": "eth2"}
PASSWORD = "correct-horse"


class Way(Protocol):
    """The way from a tester's one port to its other."""

    def lose(self, every: int | None) -> None:
        """Lose exactly every n-th frame from now on; None: none."""

    def unplug(self, port: str, out: bool) -> None:
        """Take the wire out of a port, or put it back."""

    def slow(self, rate: float | None) -> None:
        """Let the tester reach this rate only, where it is a double."""

    def busy(self) -> bool:
        """Whether the tester still sends, or holds what it needs for sending."""


@dataclass
class Subject:
    """A tester and its path.  `secrets`: what may stand in no record."""

    tester: Tester
    path: Way
    secrets: tuple[str, ...] = ()


@dataclass
class Lab:
    """Two namespaces, one of them the router."""

    tester: Node
    router: Node

    def lose(self, every: int | None) -> None:
        text = "flush ruleset\n"
        if every:
            text += "table inet t { chain f { type filter hook forward priority 0; policy accept;\n"
            text += f"meta l4proto udp numgen inc mod {every} 0 drop\n}}\n}}\n"
        self.router.run(["sh", "-ec", f"nft -f - <<'END'\n{text}END"])

    def unplug(self, port: str, out: bool) -> None:
        self.tester.run(["ip", "link", "set", PORTS[port], "down" if out else "up"])

    def slow(self, rate: float | None) -> None:
        pass

    def busy(self) -> bool:
        # A tester that gets no CPU for so long is asked again: both who call this wait for it.
        count = "cat /sys/class/net/eth1/statistics/tx_packets"
        said = self.tester.run(["sh", "-ec", f"{count}; sleep 0.2; {count}"]).stdout
        before, after = said.split()
        return int(after) - int(before) > 10  # the kernel's own, of a port that came up


@contextmanager
def live(name: str, backend_name: str, opened: Opened) -> Iterator[Subject]:
    """A tester on a backend; CannotHereError where it does not run here."""
    wanted = testers.chosen(name).needs | {"nft"}
    missing = wanted - capabilities.features_of(backend_name)
    if missing:
        raise CannotHereError(f"no {', '.join(sorted(missing))} on the backend {backend_name}")
    with ExitStack() as stack:
        lab = stack.enter_context(opened(backend_name).deploy(topology.find("fastpath")))
        tester, router = lab.node("tester"), lab.node("dut")
        yield Subject(testers.chosen(name).make(tester), Lab(tester, router))


@dataclass
class Double:
    """A double's own router."""

    of: routeros_rest.Device
    names: dict[str, str]
    rest: Callable[[], bool]

    def lose(self, every: int | None) -> None:
        self.of.loses_every = every

    def unplug(self, port: str, out: bool) -> None:
        (self.of.down.add if out else self.of.down.discard)(self.names[port])

    def slow(self, rate: float | None) -> None:
        self.of.most = rate or 1e6

    def busy(self) -> bool:
        return self.rest()


@contextmanager
def routeros(folder: Path) -> Iterator[Subject]:
    """The RouterOS tester and its double."""
    device = routeros_rest.Device(user="lab", password=PASSWORD)
    names = {"p1": "ether2", "p2": "ether3"}
    with routeros_rest.Server(device) as server:
        file = folder / "testers.yml"
        file.write_text(
            f"routeros:\n  url: {server.url}\n  user: lab\n  password: {PASSWORD}\n"
            f"  ports: {{p1: ether2, p2: ether3}}\n"
        )
        path = Double(device, names, lambda: device.running or any(device.menus.values()))
        yield Subject(
            testers.chosen("routeros", file).make(_nowhere()), path, (PASSWORD, server.url)
        )


class _Nowhere:
    """The node of a tester that is a device of its own: nothing runs on it."""

    def run(self, argv: object, **_: object) -> None:
        raise AssertionError(f"a device has no node to run {argv} on")

    def read(self, path: str) -> bytes:
        raise AssertionError(f"a device has no node to read {path} from")


def _nowhere() -> Node:
    return _Nowhere()  # type: ignore[return-value]


def standing(name: str, folder: Path, opened: Opened):
    """The subject called `name`."""
    if name == "ppstraffic":
        if not (paths.build_dir() / "bin" / "ppstraffic").exists():
            raise CannotHereError("ppstraffic has not been built", "make -C traffic")
        return live(name, "namespaces", opened)
    return routeros(folder)
