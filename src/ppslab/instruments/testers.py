"""The testers by name: what `--tester` chooses from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ppslab.errors import CannotHereError, UsageError, did_you_mean
from ppslab.instruments import inventory, otg, pktgen, ppstraffic, routeros
from ppslab.instruments.contract import Ability, Tester
from ppslab.instruments.runner import Runner

ABILITIES: Mapping[str, frozenset[Ability]] = {
    "ppstraffic": ppstraffic.Tester.abilities,
    "pktgen": pktgen.Tester.abilities,
    "routeros": routeros.Tester.abilities,
    "otg": otg.Tester.abilities,
}

NAMES = tuple(ABILITIES)

DEVICES = frozenset({"routeros", "otg"})
"""Testers with ports of their own, told in an inventory file."""


def check(name: str, config: Path | None = None) -> None:
    """UsageError where there is no such tester, or the inventory file that it needs is wrong."""
    if name not in NAMES:
        near = did_you_mean(name, NAMES)
        raise UsageError(f"no tester {name!r}{near}: there are {', '.join(NAMES)}")
    if name in DEVICES:
        inventory.load(config, name)


def needs(name: str) -> frozenset[str]:
    """The features that a tester needs of the kernel under it, as `capabilities` names them."""
    return pktgen.NEEDS if name == "pktgen" else frozenset()


def must_reach(name: str, backend: str) -> None:
    """CannotHereError where a tester's ports cannot reach the router that a backend stands up."""
    if name in DEVICES and backend in ("namespaces", "vm"):
        raise CannotHereError(
            f"the tester {name} sends from ports of its own, and no wire leads from those to a "
            f"router on the backend {backend}",
            "use --tester ppstraffic; `ppslab calibrate` measures the device with its ports cabled",
        )


def make(
    name: str,
    node: Runner,
    *,
    first: Sequence[str] = (),
    burst: int | None = None,
    config: Path | None = None,
    cards: bool = False,
    program: Path | None = None,
) -> Tester:
    """The tester `name` on a node; it speaks to nobody before its first trial.

    `first`: the command in front of one that is a program on the node.  `burst`: frames that
    ppstraffic hands over at once, at most.  `config`: the inventory file; None: the one that
    `$PPSLAB_TESTER_CONFIG` names.  `cards`: the node's ports are network cards.  `program`:
    ppstraffic as the node finds it; None: this machine's.  Errors as of `check`, and
    CannotHereError where its program is not built.
    """
    check(name, config)
    if name == "pktgen":
        return pktgen.Tester(node, cards=cards)
    if name in DEVICES:
        told, file = inventory.load(config, name)
        if name == "routeros":
            assert told.routeros is not None
            return routeros.Tester(told.routeros, file)
        assert told.otg is not None
        return otg.Tester(told.otg, file)
    return ppstraffic.Tester(node, first=first, burst=burst, cards=cards, path=program)
