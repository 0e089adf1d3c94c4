"""The testers by name: what `--tester` chooses from.

ppstraffic is here; an installed package may bring more (entry points of the group
`ppslab.testers`, README.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final, Protocol

from ppslab.core.errors import CannotHereError, UsageError, did_you_mean
from ppslab.testbed.testers import ppstraffic
from ppslab.testbed.testers.contract import Ability, Tester
from ppslab.testbed.testers.ppstraffic import Runner

GROUP = "ppslab.testers"
OURS = "ppstraffic"


class Brought(Protocol):
    """A tester's class that a package brings: what an entry point of `ppslab.testers` names."""

    abilities: frozenset[Ability]
    needs: frozenset[str]
    """The features that it needs of the kernel under it, as `capabilities` names them."""
    is_device: bool
    """True for one with ports of its own, which no backend wires to a router."""

    def __call__(self, node: Runner, config: Path | None) -> Tester:
        """The tester on a node; `config`: the file of `--tester-config`."""


@cache
def brought() -> Mapping[str, Brought]:
    """The testers of installed packages by name; ours keeps its name."""
    points = entry_points(group=GROUP)
    return {point.name: point.load() for point in points if point.name != OURS}


def is_device(name: str) -> bool:
    """True for a tester that sends from ports of its own."""
    return name in brought() and brought()[name].is_device


@dataclass(frozen=True)
class Chosen:
    """A tester by its name; of one that a package brings, its class and `--tester-config`."""

    name: str
    config: Path | None = None
    brought: Brought | None = None

    @property
    def abilities(self) -> frozenset[Ability]:
        return self.brought.abilities if self.brought else ppstraffic.Tester.abilities

    @property
    def needs(self) -> frozenset[str]:
        """The features that it needs of the kernel under it, as `capabilities` names them."""
        return self.brought.needs if self.brought else frozenset()

    @property
    def is_device(self) -> bool:
        """True for one that sends from ports of its own."""
        return self.brought is not None and self.brought.is_device

    def must_send_at_full_speed(self) -> None:
        """UsageError where it sends at a set rate only, which shows no router's limit."""
        if "as fast as it can" not in self.abilities:
            raise UsageError(
                f"the tester {self.name} sends only at a set rate; to measure limits, a run needs "
                "a tester that sends at full speed: --tester ppstraffic"
            )

    def must_reach(self, backend: str) -> None:
        """CannotHereError where its ports cannot reach the router that a backend deploys."""
        if self.is_device and backend in ("namespaces", "vm"):
            raise CannotHereError(
                f"the tester {self.name} sends from its own ports, which have no link to a "
                f"router on the backend {backend}",
                "use --tester ppstraffic",
            )

    def must_be_built(self) -> None:
        """CannotHereError where its program is not on this machine, and so on no guest."""
        if self.brought is None:
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

        The words are those of `ppstraffic.Tester`; `program` is its `path`.
        """
        if self.brought is not None:
            return self.brought(node, self.config)
        return ppstraffic.Tester(
            node, first=first, burst=burst, cards=cards, kernel_threads=kernel_threads, path=program
        )


def chosen(name: str, config: Path | None = None) -> Chosen:
    """The tester of that name; `config`: the file of `--tester-config`.

    UsageError where there is no such tester.
    """
    names = (OURS, *brought())
    if name not in names:
        near = did_you_mean(name, names)
        raise UsageError(f"no tester {name!r}{near}: there are {', '.join(names)}")
    return Chosen(name, config, brought().get(name))


PPSTRAFFIC: Final = Chosen(OURS)
