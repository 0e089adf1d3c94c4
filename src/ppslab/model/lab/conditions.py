"""The conditions of a lab: how each configures the router, and what it must then answer."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import UsageError
from ppslab.model.lab import Name
from ppslab.model.lab.tcp import TcpLoad
from ppslab.model.switch_chip import chips

BpfMode = Literal["tc", "xdp-generic", "xdp-native"]


class Expect(StrictModel):
    """Expected read-back of a condition; a word that is left out is not checked."""

    rules: int | None = Field(default=None, ge=0)  # nftables rules on the router
    conntrack: bool | None = None  # connections are being tracked
    offloaded: bool | None = None  # connections have left for the flowtable (flag OFFLOAD)
    classes: int | None = Field(default=None, ge=0)  # HTB leaf classes on each port
    filters: int | None = Field(default=None, ge=0)  # tc egress filters on each port
    # shell command to the regular expression that its output must match; with ! in front of it:
    # must not
    answers: dict[str, str] = Field(default_factory=dict)
    # seconds in which all of it may come true, as LACP takes some
    within: float = Field(default=0.0, ge=0)

    @field_validator("answers")
    @classmethod
    def _expressions(cls, answers: dict[str, str]) -> dict[str, str]:
        for expression in answers.values():
            try:
                re.compile(expression.removeprefix("!"))
            except re.error as error:
                raise ValueError(f"{expression!r} is not a regular expression: {error}") from None
        return answers


class Program(StrictModel):
    """A program that runs on a node while a condition stands, such as a PPPoE server."""

    run: str = Field(min_length=1)  # a shell command that stays in the foreground
    ready: str = "true"  # shell command: succeeds when it is up
    seconds: float = Field(default=20.0, gt=0)  # within which it must be ready
    makes_links: bool = True  # links or routes are made: the node's are put back after it


class SwitchChip(StrictModel):
    """A switch chip that routes ahead of the node's kernel: L3 hardware offload.

    The names are RouterOS's, in /interface/ethernet/switch/l3hw-settings, and its defaults.
    """

    device: str  # whose chip: the size of its tables
    # an expired or too large packet goes to the CPU; else it is lost
    icmp_reply_on_error: bool = True
    ipv6_hw: bool = False  # IPv6 is offloaded too
    rules: tuple[str, ...] = ()  # switch rules (ACL) ahead of the tables: tc filters of block 1

    @field_validator("device")
    @classmethod
    def _known(cls, device: str) -> str:
        try:
            chips.of(device)
        except UsageError as error:
            raise ValueError(str(error)) from None
        return device


class PortQueues(StrictModel):
    """Receiving CPUs and number of sending queues of a port."""

    # the CPUs that streams are shared out to (RPS); none: whichever CPU a packet comes by
    cpus: tuple[Annotated[int, Field(ge=0, le=31)], ...] = ()
    transmit: int = Field(default=1, ge=1)  # how many queues of a virtual wire send
    # how many queues of a network card are in use, each to receive and to send (ethtool -L); the
    # card's driver gives each a CPU if there are as many
    combined: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _of_one_kind(self) -> PortQueues:
        if self.combined is not None and self.transmit != 1:
            raise ValueError("transmit is of a virtual wire, and combined is of a network card")
        return self


class LinuxSpec(StrictModel):
    """The condition on one node that is a Linux kernel.

    They are applied in this order: sysctls, ip, vlans, routes, bridge, nft, tc, bpf, programs.
    The next condition takes them all away, `ip` too: links, addresses, routes, neighbours and
    transforms are put back as the topology deployed them.
    """

    ip: tuple[str, ...] = ()  # links and routes, loaded by `ip -batch`
    # many routes: files of lines such as `198.19.0.0/30 x8192 via ...`
    routes: tuple[str, ...] = ()
    vlans: tuple[str, ...] = ()  # VLANs of a bridge's ports, loaded by `bridge -batch`
    nft: tuple[str, ...] = ()  # rule sets, loaded by `nft -f`
    tc: tuple[str, ...] = ()  # queues, loaded by `tc -batch`
    sysctls: dict[str, str] = Field(default_factory=dict)  # kernel parameter to its value
    bpf: str | None = None  # program in front of the stack, each port
    bpf_mode: BpfMode | None = None  # how the program must be attached; left out: what costs least
    bpf_ports: tuple[str, ...] = ()  # interfaces that have the program; left out: every port
    # fills the tables of `bpf` from the node's routes, as its size
    switch_chip: SwitchChip | None = None
    bridge: bool = False  # all ports in one bridge, br0
    # interface to the CPU that serves its card's interrupts; chance: those that the kernel chose;
    # only in a lab with a machine
    interrupts: Literal["chance"] | dict[str, int] | None = None
    # interface to its queues and who takes from them; one that is left out has one each way
    port_queues: dict[str, PortQueues] = Field(default_factory=dict)
    programs: tuple[Program, ...] = ()  # started in order, at the end
    each_trial: tuple[str, ...] = ()  # shell commands before every trial, after the read-back
    # name to a shell command that prints one whole number; a trial's record holds by how much it
    # grew
    counters: dict[str, str] = Field(default_factory=dict)
    expect: Expect = Expect()  # what a read-back must show

    @property
    def files(self) -> tuple[str, ...]:
        """The lab's files that configure the node."""
        return (*self.ip, *self.vlans, *self.routes, *self.nft, *self.tc, *self.switch_rules)

    @property
    def makes_links(self) -> bool:
        """True if the condition changes links or routes, by `ip` or by a program."""
        return bool(self.ip) or any(program.makes_links for program in self.programs)

    @model_validator(mode="after")
    def _tables(self) -> LinuxSpec:
        if self.switch_chip and not self.bpf:
            raise ValueError("a switch_chip needs the tables of a BPF program: add bpf")
        if self.switch_chip and self.switch_chip.rules and self.bpf_mode != "tc":
            raise ValueError("a switch_chip's rules are filters of tc: set bpf_mode: tc")
        return self

    @property
    def switch_rules(self) -> tuple[str, ...]:
        """The files of the switch chip's rules."""
        return self.switch_chip.rules if self.switch_chip else ()


class Condition(StrictModel):
    """One way to configure the router."""

    name: Name  # what commands, records and pages call it
    title: str  # its title on pages and figures
    description: str = ""  # what it does, in a sentence or two
    flows: str | None = None  # streams of the tester; none: TCP only
    flows_ipv6: str | None = None  # the same streams over IPv6
    tcp: TcpLoad | None = None  # how TCP loads it, where not as all
    delivers: Literal["all", "none"] = "all"  # none: the router drops the streams, as it should
    # its frame sizes, where they are not the lab's: IPv6 needs 84 bytes
    sizes: tuple[Annotated[int, Field(ge=64, le=9216)], ...] = ()
    # of cost, at most, where not as the lab has it: what counters tell needs few, a search none
    rounds: int | None = Field(default=None, ge=0)
    cpus: int = Field(default=1, ge=1)  # that it is about: of more than one, none is counted
    needs: frozenset[str] = frozenset()  # features that the backend's kernel must have
    routeros: tuple[str, ...] = ()  # RouterOS scripts of the lab's folder, in their order
    linux: LinuxSpec = LinuxSpec()  # on the lab's router
    # on other nodes, configured after the router
    nodes: dict[str, LinuxSpec] = Field(default_factory=dict)

    @property
    def everywhere(self) -> tuple[LinuxSpec, ...]:
        """The words of all nodes that the condition configures, the router's first."""
        return (self.linux, *self.nodes.values())

    @property
    def files(self) -> tuple[str, ...]:
        """The lab's files that configure Linux nodes, each once."""
        named = [f for w in self.everywhere for f in w.files]
        return tuple(dict.fromkeys(named))
