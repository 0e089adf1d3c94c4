"""The words for TCP: which hosts talk to which, and how many connections they open."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field, model_validator

from ppslab.core.documents.strict import StrictModel
from ppslab.model.lab import Name

TcpDirection = Literal["there", "back", "both"]
"""there: from the first host of each pair to its second; back: the other way; both: at the same
time.  Where hosts stand behind ports: from the first port of a condition's first stream."""

DIRECTIONS: tuple[TcpDirection, ...] = get_args(TcpDirection)


def _address(text: str) -> str:
    return str(ipaddress.ip_address(text))


Instances = Annotated[int, Field(ge=1, le=64)]
Streams = Annotated[int, Field(ge=1, le=128)]


class End(StrictModel):
    """One host of a pair, and the address at which the other one reaches it."""

    host: str  # a node of the topology
    address: Annotated[str, AfterValidator(_address)]  # the address that the other host sends to


Pair = tuple[End, End]


class TcpLoad(StrictModel):
    """Load of one condition where it differs from the lab's; a word left out is the lab's."""

    pairs: str | None = None  # the pairs of hosts, by their name
    instances: Instances | None = None  # iperf3 processes of a pair
    streams: Streams | None = None  # connections of each instance


class EmulatedLoad(TcpLoad):
    """Load for emulated CPUs, in the place of the article's."""

    rounds: Annotated[int, Field(ge=2)] | None = None  # rounds of all conditions


class Tcp(StrictModel):
    """The load of `ppslab tcp`: iperf3 between hosts of their own.

    Either `hosts` (one host behind each port: those of a condition's first stream talk, at that
    stream's addresses) or `pairs` (hosts by name and address; all pairs of a group talk at once).
    """

    topology: Name | None = None  # left out: the lab's own
    hosts: dict[str, str] = Field(default_factory=dict)  # port to the node behind it
    # pairs by name; the first where a condition names none
    pairs: dict[str, tuple[Pair, ...]] = Field(default_factory=dict)
    conditions: tuple[Name, ...] = ()  # conditions that `ppslab tcp` measures; left out: all
    reference: Name | None = None  # what the others are compared with; left out: the lab's own
    # which ways the transfers go
    directions: tuple[TcpDirection, ...] = Field(default=DIRECTIONS, min_length=1)
    instances: Instances = 3  # iperf3 servers, each with a client
    streams: Streams = 10  # connections of each client
    seconds: int | None = Field(default=None, ge=1)  # null: as the profile says
    congestion: str = "cubic"  # TCP congestion control of the senders
    rounds: int | None = Field(default=None, ge=2)  # null: as the profile says
    emulated: EmulatedLoad | None = None  # what emulated CPUs carry

    @model_validator(mode="after")
    def _one_way_to_name_them(self) -> Tcp:
        if bool(self.hosts) == bool(self.pairs):
            raise ValueError("either hosts (behind ports) or pairs (of hosts), one of the two")
        if self.hosts and len(self.hosts) < 2:
            raise ValueError("hosts: two at least")
        for name, pairs in self.pairs.items():
            if not pairs:
                raise ValueError(f"pairs: {name}: one pair at least")
            for first, second in pairs:
                if first.host == second.host:
                    raise ValueError(f"pairs: {name}: {first.host} would talk to itself")
        return self

    def under_emulation(self) -> Tcp:
        """The same, scaled to what emulated CPUs carry."""
        if self.emulated is None:
            return self
        scaled = {
            "instances": self.instances_of(self.emulated),
            "streams": self.streams_of(self.emulated),
            "rounds": self.emulated.rounds or self.rounds,
        }
        return self.model_copy(update=scaled)

    @property
    def nodes(self) -> Iterator[str]:
        """The hosts, each once."""
        ends = (end.host for pairs in self.pairs.values() for pair in pairs for end in pair)
        return iter(dict.fromkeys((*self.hosts.values(), *ends)))

    def group(self, load: TcpLoad | None) -> tuple[Pair, ...]:
        """The pairs of a condition; empty where hosts stand behind ports."""
        name = load.pairs if load and load.pairs else next(iter(self.pairs), None)
        return () if name is None else self.pairs[name]

    def instances_of(self, load: TcpLoad | None) -> int:
        """The iperf3 servers of each host under a condition."""
        return load.instances if load and load.instances else self.instances

    def streams_of(self, load: TcpLoad | None) -> int:
        """The connections of each client under a condition."""
        return load.streams if load and load.streams else self.streams
