"""The conditions of a lab: how each configures the router, and what it must then answer."""

from __future__ import annotations

from pydantic import Field

from ppslab.lab_words import Name, Words


class Expect(Words):
    """What the read-back of a condition must find; a word left out is not looked at."""

    rules: int | None = Field(default=None, ge=0, description="nftables rules on the router")
    conntrack: bool | None = Field(default=None, description="connections are being tracked")
    classes: int | None = Field(default=None, ge=0, description="HTB leaf classes on each port")
    filters: int | None = Field(default=None, ge=0, description="tc egress filters on each port")


class LinuxWords(Words):
    """The condition on the Linux router."""

    nft: tuple[str, ...] = Field(default=(), description="rule sets, loaded by `nft -f`")
    tc: tuple[str, ...] = Field(default=(), description="queues, loaded by `tc -batch`")
    sysctls: dict[str, str] = Field(default_factory=dict)
    bpf: str | None = Field(default=None, description="program in front of the stack, each port")
    bridge: bool = Field(default=False, description="all ports in one bridge, br0")
    expect: Expect = Expect()


class Condition(Words):
    """One way to configure the router."""

    name: Name
    title: str
    description: str = ""
    flows: str
    flows_ipv6: str | None = Field(default=None, description="the same streams over IPv6")
    needs: frozenset[str] = frozenset()
    routeros: tuple[str, ...] = ()
    linux: LinuxWords = LinuxWords()
