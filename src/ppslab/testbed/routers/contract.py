"""The interface of a device under test: the kernel of a node, or RouterOS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ppslab.model.lab.conditions import BpfMode, Condition


@dataclass(frozen=True)
class ReadBack:
    """The router's report of itself."""

    problems: tuple[str, ...]
    """Its differences from the condition, a sentence each."""
    text: str
    """Its answers as printed."""


class Router(Protocol):
    """The device under test: it is configured, read back, and counts packets.

    Every method raises BackendError with the router's own words where a step fails.
    """

    @property
    def name(self) -> str:
        """Its name in a record: linux or routeros."""

    @property
    def cannot_show(self) -> str:
        """The limits of numbers from this router, in a sentence or two for the reader."""

    @property
    def is_external(self) -> bool:
        """True where the sender's CPU does none of its work: another device, or cards in between.

        A trial then yields no time per packet, and there is no drop baseline to subtract.
        """

    @property
    def bpf_modes(self) -> dict[str, BpfMode]:
        """For each BPF program the way to attach it; empty on a router that has none."""

    @property
    def reset_kind(self) -> str:
        """The reset of RFC 6201 that `reset` is, in words."""

    def reset(self, condition: Condition) -> None:
        """Reset it in the middle of a stream, and bring it back into the condition."""

    def facts(self) -> Mapping[str, Any]:
        """Return facts for a record's environment: versions, board, licence.  Never a secret.

        Of RouterOS under the key `routeros`, with RouterOS's names; `level` is its licence's.
        """

    def apply(self, condition: Condition, *, bpf_mode: BpfMode | None = None) -> None:
        """Bring it, and the nodes beside it, from whatever they are into `condition`."""

    def read_back(self, condition: Condition, *, bpf_mode: BpfMode | None = None) -> ReadBack:
        """Compare it as it is now with `condition`."""

    def apply_baseline(self) -> None:
        """Drop every frame at the ports' ingress; never asked of an external router."""

    def read_back_baseline(self) -> ReadBack:
        """Return whether the drop baseline is in place."""

    def mode(self, condition: Condition, wanted: BpfMode | None = None) -> BpfMode | None:
        """Return how the condition's BPF program is attached; None where it has none here."""

    def before_trial(self, condition: Condition) -> None:
        """Do what the condition asks for before every trial, after the read-back."""

    def counters(self, condition: Condition) -> dict[str, int]:
        """The condition's counters now; those of other nodes have the node's name in front."""

    def tracked_connections(self) -> int:
        """Entries of its connection tracking."""

    def offloaded_connections(self) -> int:
        """Tracked connections that went past the firewall: OFFLOAD, or FastTrack's flag F."""

    def steer(self, cpu: int | None) -> None:
        """Let `cpu` of the tester's machine route; nothing to do for an external router."""
