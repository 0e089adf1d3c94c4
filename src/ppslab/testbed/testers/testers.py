"""The testers by name: what `--tester` chooses from.

ppstraffic and RouterOS's generator are here; an installed package may bring more (entry points of
the group `ppslab.testers`, README.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final, Protocol

from ppslab.core.errors import CannotHereError, UsageError, did_you_mean
from ppslab.testbed.testers import inventory, ppstraffic
from ppslab.testbed.testers.contract import Ability, Tester
from ppslab.testbed.testers.inventory import RouterOS
from ppslab.testbed.testers.ppstraffic import Runner
from ppslab.testbed.testers.routeros import tester as routeros

GROUP = "ppslab.testers"

ABILITIES: Mapping[str, frozenset[Ability]] = {
    "ppstraffic": ppstraffic.Tester.abilities,
    "routeros": routeros.Tester.abilities,
}
"""Of the testers that are here."""


class Brought(Protocol):
    """A tester's class that a package brings: what an entry point of `ppslab.testers` names."""

    abilities: frozenset[Ability]
    needs: frozenset[str]
    """The features that it needs of the kernel under it, as `capabilities` names them."""
    is_device: bool
    """Whether it has ports of its own, which no backend wires to a router."""

    def __call__(self, node: Runner, config: Path | None) -> Tester:
        """The tester on a node; `config`: the file of `--tester-config`."""


@cache
def brought() -> Mapping[str, Brought]:
    """What installed packages bring, by name; a name that is taken here stays ours."""
    points = entry_points(group=GROUP)
    return {point.name: point.load() for point in points if point.name not in ABILITIES}


def names() -> tuple[str, ...]:
    """Every tester that can be chosen."""
    return (*ABILITIES, *brought())


def is_device(name: str) -> bool:
    """Whether the tester of this name sends from ports of its own."""
    return name == "routeros" or (name in brought() and brought()[name].is_device)


@dataclass(frozen=True)
class Chosen:
    """A tester by its name; of a device also its inventory, of a brought one its class."""

    name: str
    device: RouterOS | None = None
    file: Path | None = None
    brought: Brought | None = None

    @property
    def abilities(self) -> frozenset[Ability]:
        """What it can do."""
        return self.brought.abilities if self.brought else ABILITIES[self.name]

    @property
    def needs(self) -> frozenset[str]:
        """The features that it needs of the kernel under it, as `capabilities` names them."""
        return self.brought.needs if self.brought else frozenset()

    @property
    def is_device(self) -> bool:
        """Whether it sends from ports of its own."""
        return is_device(self.name)

    def must_go_without_a_rate(self) -> None:
        """UsageError where it sends at a set rate only, which shows no router's limit."""
        if "as fast as it can" not in self.abilities:
            raise UsageError(
                f"the tester {self.name} sends only at a set rate; to measure limits, a run needs "
                "a tester that sends at full speed: --tester ppstraffic "
                f"(ppslab calibrate --tester {self.name} measures this tester)"
            )

    def must_reach(self, backend: str) -> None:
        """CannotHereError where its ports cannot reach the router that a backend stands up."""
        if self.is_device and backend in ("namespaces", "vm"):
            raise CannotHereError(
                f"the tester {self.name} sends from its own ports, which have no link to a "
                f"router on the backend {backend}",
                "use --tester ppstraffic; `ppslab calibrate` measures the device with its ports "
                "cabled",
            )

    def must_be_built(self) -> None:
        """CannotHereError where its program is not on this machine, and so on no guest."""
        if self.name == "ppstraffic":
            ppstraffic.binary()

    def make(
        self,
        node: Runner,
        *,
        first: Sequence[str] = (),
        burst: int | None = None,
        cards: bool = False,
        kernel_threads: str | None = None,
        program: Path | None = None,
    ) -> Tester:
        """The tester on a node; it speaks to nobody before its first trial.

        `first`: the command in front of one that is a program on the node.  `burst`: frames that
        ppstraffic hands over at once, at most.  `cards`: the node's ports are network cards.
        `kernel_threads`: where ppstraffic finds the time of the kernel's own.
        `program`: ppstraffic as the node finds it; None: this machine's, CannotHereError where it
        is not built.
        """
        if self.brought is not None:
            return self.brought(node, self.file)
        if self.device is not None:
            return routeros.Tester(self.device, self.file or Path())
        return ppstraffic.Tester(
            node, first=first, burst=burst, cards=cards, kernel_threads=kernel_threads, path=program
        )


def chosen(name: str, config: Path | None = None) -> Chosen:
    """The tester of that name; `config`: the inventory of a device.

    None: the inventory that `$PPSLAB_TESTER_CONFIG` names.  UsageError where there is no such
    tester, or no inventory of one that is a device; FileError where it is wrong.
    """
    if name not in names():
        near = did_you_mean(name, names())
        raise UsageError(f"no tester {name!r}{near}: there are {', '.join(names())}")
    if name == "routeros":
        return Chosen(name, *inventory.load(config))
    return Chosen(name, file=config, brought=brought().get(name))


PPSTRAFFIC: Final = Chosen("ppstraffic")
