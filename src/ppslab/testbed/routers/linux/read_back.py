"""What a Linux node says that it is, compared with what a condition makes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ppslab.model.lab.conditions import BpfMode, LinuxSpec
from ppslab.model.switch_chip.filling import Tables
from ppslab.testbed.routers.linux import bpf_maps, interrupts, offloads, steering
from ppslab.testbed.routers.linux.deployed import Deployed

BRIDGE = "br0"

_READ = (
    """echo '## rules'; nft -j -s list ruleset
echo '## links'; ip -j -d link show
echo '## qdiscs'; tc -j qdisc show
"""
    + offloads.READ
)


@dataclass(frozen=True)
class State:
    """A node's answers: `parts` by heading, the rest read out of them."""

    parts: dict[str, str]
    merging: dict[str, list[str]]
    rules: list[Any]
    links: dict[str, dict[str, Any]]
    qdiscs: list[dict[str, Any]]

    @property
    def text(self) -> str:
        """All that was answered, for the record."""
        return "".join(f"## {name}\n{part}" for name, part in self.parts.items())

    @classmethod
    def of(cls, answer: str, ports: Sequence[str]) -> State:
        """Of what the script that `questions` makes has printed."""
        parts = _sections(answer)
        merging = offloads.of(parts["offloads"], ports)
        parts["offloads"] = offloads.text(merging)
        return cls(
            parts=parts,
            merging=merging,
            rules=plain_rules(parts["rules"]),
            links={link["ifname"]: link for link in json.loads(parts["links"]) if link},
            qdiscs=json.loads(parts["qdiscs"]),
        )


def questions(spec: LinuxSpec | None, ports: Sequence[str]) -> str:
    """Shell lines that ask a node what it is; `spec` None: not what a condition would add."""
    script = _READ
    if spec is None:
        return script
    # Two processes a port: only where somebody reads what they say.
    for port in ports:
        if spec.expect.classes is not None:
            script += f"echo '## classes {port}'; tc class show dev {port}\n"
        if spec.expect.filters is not None:
            script += f"echo '## filters {port}'; tc filter show dev {port}\n"
    if spec.bpf:
        script += "echo '## block'; tc filter show block 1 2>/dev/null || :\n"
    script += bpf_maps.questions(spec)
    if spec.interrupts is not None:
        script += interrupts.questions(ports)
    if spec.port_queues:
        script += steering.questions(spec.port_queues)
    for key in spec.sysctls:
        script += f"echo '## sysctl {key}'; sysctl -n {key}\n"
    for number, command in enumerate(spec.expect.answers):
        # In a shell of its own: one that fails answers nothing, and the rest is still asked.
        script += f"echo '## answer {number}'; ( {command}\n) 2>&1 || :\n"
    return script


def compare(
    spec: LinuxSpec,
    state: State,
    *,
    ports: Sequence[str],
    deployed: Deployed,
    listing: Sequence[Any],
    bpf_mode: BpfMode,
    chosen: interrupts.Came | None = None,
    tables: Tables | None = None,
    merging: bool = False,
) -> Iterable[str]:
    """How the node differs from the words, a sentence each.

    `listing`: the rules as the same kernel lists them when the files are loaded into nothing.
    `chosen`: the CPUs that the kernel had chosen for the cards' interrupts.
    `tables`: what a switch chip's were filled with.
    `merging`: ports are meant to merge frames.
    """
    yield from _rules(spec, state.rules, listing)
    yield from _bridge(spec, state.links, ports, deployed)
    yield from _queues(spec, state, ports, deployed)
    yield from _bpf(spec, bpf_mode, state, ports)
    yield from bpf_maps.compare(spec, state.parts.get("chip", ""), tables)
    if spec.interrupts is not None:
        answer = state.parts.get(interrupts.HEADING, "")
        yield from interrupts.problems(spec.interrupts, answer, chosen or {})
    yield from steering.problems(spec.port_queues, state.parts.get(steering.HEADING, ""))
    native = bool(spec.bpf) and bpf_mode == "xdp-native"
    yield from offloads.problems(state.merging, native_xdp=native, wanted=merging)
    for key, value in spec.sysctls.items():
        found = " ".join(state.parts.get(f"sysctl {key}", "").split())
        if found != value:
            yield f"{key} is {found!r}, not {value!r}"
    for number, (command, expected) in enumerate(spec.expect.answers.items()):
        found = state.parts.get(f"answer {number}", "")
        there = re.search(expected.removeprefix("!"), found, re.MULTILINE) is not None
        if there == expected.startswith("!"):
            lines = found.strip().splitlines()
            said = lines[0][:120] if lines else "nothing"
            must = "must not have" if there else "has no"
            yield f"`{command}` {must} {expected.removeprefix('!')!r}, it says: {said}"


def _rules(spec: LinuxSpec, rules: list[Any], listing: Sequence[Any]) -> Iterable[str]:
    count = sum("rule" in entry for entry in rules)
    expected = spec.expect.rules
    if expected is not None and count != expected:
        yield f"the router has {count} rules, not {expected}"
    if rules != list(listing):
        files = ", ".join(spec.nft) or "no rule set"
        yield f"the router's rules are not those of {files}"


def _bridge(
    spec: LinuxSpec, links: dict[str, Any], ports: Sequence[str], deployed: Deployed
) -> Iterable[str]:
    for port in ports:
        master = links.get(port, {}).get("master")
        if spec.bridge and master != BRIDGE:
            yield f"port {port} is not in {BRIDGE}"
        # A condition with links of its own says in `answers` where its ports must be.
        by_itself = deployed.links.get(port, {}).get("master")
        if not spec.bridge and not spec.ip and master != by_itself:
            yield f"port {port} is in {master}"


def _queues(
    spec: LinuxSpec, state: State, ports: Sequence[str], deployed: Deployed
) -> Iterable[str]:
    expect = spec.expect
    for port in ports:
        kinds = frozenset(q["kind"] for q in state.qdiscs if q["dev"] == port)
        if not spec.tc and deployed.queued(port, kinds):
            yield f"port {port} has a queue"
        if expect.classes is not None:
            lines = state.parts.get(f"classes {port}", "").splitlines()
            leaves = sum(" leaf " in f"{line} " or " prio " in line for line in lines)
            if leaves != expect.classes:
                yield f"port {port} has {leaves} leaf classes, not {expect.classes}"
        if expect.filters is not None:
            lines = state.parts.get(f"filters {port}", "").splitlines()
            filters = sum("flowid" in line for line in lines)
            if filters != expect.filters:
                yield f"port {port} has {filters} filters, not {expect.filters}"


def _bpf(spec: LinuxSpec, mode: BpfMode, state: State, ports: Sequence[str]) -> Iterable[str]:
    in_block = f"{spec.bpf}.o" in state.parts.get("block", "")
    for port in ports:
        blocked = any(
            q["dev"] == port and q["kind"] == "clsact" and q.get("ingress_block") == 1
            for q in state.qdiscs
        )
        xdp = state.links.get(port, {}).get("xdp", {}).get("mode")
        mode_found = "tc" if blocked and (in_block or not spec.bpf) else None
        if xdp is not None:
            # linux/if_link.h: XDP_ATTACHED_DRV 1, XDP_ATTACHED_SKB 2
            mode_found = {1: "xdp-native", 2: "xdp-generic"}.get(xdp, str(xdp))
        wanted = spec.bpf and port in (spec.bpf_ports or ports)
        expected = mode if wanted else None
        if mode_found != expected:
            yield f"port {port}: {mode_found or 'no'} BPF program, not {expected or 'none'}"


def plain_rules(listing: str) -> list[Any]:
    """Nft's JSON without what differs between two loads of one file: handles, versions.

    And without what a counter with a name has counted, which `nft -s` leaves in.
    """

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            counts = (
                {"packets", "bytes"} if value.keys() >= {"family", "table", "packets"} else set()
            )
            left = {"handle", "index"} | counts
            return {k: plain(v) for k, v in value.items() if k not in left}
        return [plain(v) for v in value] if isinstance(value, list) else value

    entries = json.loads(listing)["nftables"] if listing.strip() else []
    return [plain(entry) for entry in entries if "metainfo" not in entry]


def _sections(text: str) -> dict[str, str]:
    """`## name` lines and what stands below each."""
    parts: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("## "):
            name = line[3:].strip()
            parts[name] = ""
        else:
            parts[name] = parts.get(name, "") + line + "\n"
    return parts
