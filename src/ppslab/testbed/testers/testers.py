"""The testers by name: what `--tester` chooses from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ppslab.core.errors import CannotHereError, UsageError, did_you_mean
from ppslab.testbed.testers import inventory, otg, ppstraffic
from ppslab.testbed.testers.contract import Ability, Tester
from ppslab.testbed.testers.inventory import Otg, RouterOS
from ppslab.testbed.testers.pktgen import tester as pktgen
from ppslab.testbed.testers.ppstraffic import Runner
from ppslab.testbed.testers.routeros import tester as routeros

ABILITIES: Mapping[str, frozenset[Ability]] = {
    "ppstraffic": ppstraffic.Tester.abilities,
    "pktgen": pktgen.Tester.abilities,
    "routeros": routeros.Tester.abilities,
    "otg": otg.Tester.abilities,
}

NAMES = tuple(ABILITIES)

DEVICES = frozenset({"routeros", "otg"})
"""Testers with ports of their own, told in an inventory file."""


@dataclass(frozen=True)
class Chosen:
    """A tester by its name; of a device also what its inventory says, and the inventory's file."""

    name: str
    device: RouterOS | Otg | None = None
    file: Path | None = None

    @property
    def needs(self) -> frozenset[str]:
        """The features that it needs of the kernel under it, as `capabilities` names them."""
        return pktgen.NEEDS if self.name == "pktgen" else frozenset()

    def must_go_without_a_rate(self) -> None:
        """UsageError where it sends at a set rate only, which shows no router's limit."""
        if "as fast as it can" not in ABILITIES[self.name]:
            raise UsageError(
                f"the tester {self.name} sends only at a set rate; to measure limits, a run needs "
                "a tester that sends at full speed: --tester ppstraffic, pktgen or otg "
                f"(ppslab calibrate --tester {self.name} measures this tester)"
            )

    def must_reach(self, backend: str) -> None:
        """CannotHereError where its ports cannot reach the router that a backend stands up."""
        if self.device is not None and backend in ("namespaces", "vm"):
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
        if isinstance(self.device, RouterOS):
            return routeros.Tester(self.device, self.file or Path())
        if isinstance(self.device, Otg):
            return otg.Tester(self.device, self.file or Path())
        if self.name == "pktgen":
            return pktgen.Tester(node, cards=cards)
        return ppstraffic.Tester(
            node, first=first, burst=burst, cards=cards, kernel_threads=kernel_threads, path=program
        )


def chosen(name: str, config: Path | None = None) -> Chosen:
    """The tester of that name; `config`: the inventory of a device.

    None: the inventory that `$PPSLAB_TESTER_CONFIG` names.  UsageError where there is no such
    tester, or no inventory of one that is a device; FileError where it is wrong.
    """
    if name not in NAMES:
        near = did_you_mean(name, NAMES)
        raise UsageError(f"no tester {name!r}{near}: there are {', '.join(NAMES)}")
    if name not in DEVICES:
        return Chosen(name)
    inventory_file, file = inventory.load(config, name)
    return Chosen(name, inventory_file.routeros if name == "routeros" else inventory_file.otg, file)


PPSTRAFFIC: Final = Chosen("ppstraffic")
