"""What a Linux node says that it is, compared with what a condition makes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ppslab.conditions import BpfMode, LinuxWords
from ppslab.routers import bpf_maps, interrupts, offloads
from ppslab.routers.deployed import Deployed

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


def questions(words: LinuxWords | None, ports: Sequence[str]) -> str:
    """Shell lines that ask a node what it is; `words` None: not what a condition would add."""
    script = _READ
    if words is None:
        return script
    # Two processes a port: only where somebody reads what they say.
    for port in ports:
        if words.expect.classes is not None:
            script += f"echo '## classes {port}'; tc class show dev {port}\n"
        if words.expect.filters is not None:
            script += f"echo '## filters {port}'; tc filter show dev {port}\n"
    if words.bpf:
        script += "echo '## block'; tc filter show block 1 2>/dev/null || :\n"
    script += bpf_maps.questions(words)
    if words.interrupts is not None:
        script += interrupts.questions(ports)
    for key in words.sysctls:
        script += f"echo '## sysctl {key}'; sysctl -n {key}\n"
    for number, command in enumerate(words.expect.answers):
        # In a shell of its own: one that fails answers nothing, and the rest is still asked.
        script += f"echo '## answer {number}'; ( {command}\n) 2>&1 || :\n"
    return script


def compare(
    words: LinuxWords,
    state: State,
    *,
    ports: Sequence[str],
    deployed: Deployed,
    listing: Sequence[Any],
    bpf_mode: BpfMode,
    chosen: interrupts.Came | None = None,
    tables: bpf_maps.Tables | None = None,
) -> Iterable[str]:
    """How the node differs from the words, a sentence each.

    `listing`: the rules as the same kernel lists them when the files are loaded into nothing.
    `chosen`: the CPUs that the kernel had chosen for the cards' interrupts.
    `tables`: what a switch chip's were filled with.
    """
    yield from _rules(words, state.rules, listing)
    yield from _bridge(words, state.links, ports, deployed)
    yield from _queues(words, state, ports, deployed)
    yield from _bpf(words, bpf_mode, state, ports)
    yield from bpf_maps.compare(words, state.parts.get("chip", ""), tables)
    if words.interrupts is not None:
        answer = state.parts.get(interrupts.HEADING, "")
        yield from interrupts.problems(words.interrupts, answer, chosen or {})
    native = bool(words.bpf) and bpf_mode == "xdp-native"
    yield from offloads.problems(state.merging, native_xdp=native)
    for key, value in words.sysctls.items():
        found = " ".join(state.parts.get(f"sysctl {key}", "").split())
        if found != value:
            yield f"{key} is {found!r}, not {value!r}"
    for number, (command, wanted) in enumerate(words.expect.answers.items()):
        found = state.parts.get(f"answer {number}", "")
        there = re.search(wanted.removeprefix("!"), found, re.MULTILINE) is not None
        if there == wanted.startswith("!"):
            lines = found.strip().splitlines()
            said = lines[0][:120] if lines else "nothing"
            must = "must not have" if there else "has no"
            yield f"`{command}` {must} {wanted.removeprefix('!')!r}, it says: {said}"


def _rules(words: LinuxWords, found: list[Any], listing: Sequence[Any]) -> Iterable[str]:
    count = sum("rule" in entry for entry in found)
    expected = words.expect.rules
    if expected is not None and count != expected:
        yield f"the router has {count} rules, not {expected}"
    if found != list(listing):
        files = ", ".join(words.nft) or "no rule set"
        yield f"the router's rules are not those of {files}"


def _bridge(
    words: LinuxWords, links: dict[str, Any], ports: Sequence[str], deployed: Deployed
) -> Iterable[str]:
    for port in ports:
        master = links.get(port, {}).get("master")
        if words.bridge and master != BRIDGE:
            yield f"port {port} is not in {BRIDGE}"
        # A condition with links of its own says in `answers` where its ports must be.
        by_itself = deployed.links.get(port, {}).get("master")
        if not words.bridge and not words.ip and master != by_itself:
            yield f"port {port} is in {master}"


def _queues(
    words: LinuxWords, state: State, ports: Sequence[str], deployed: Deployed
) -> Iterable[str]:
    expect = words.expect
    for port in ports:
        kinds = frozenset(q["kind"] for q in state.qdiscs if q["dev"] == port)
        if not words.tc and deployed.queued(port, kinds):
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


def _bpf(words: LinuxWords, mode: BpfMode, state: State, ports: Sequence[str]) -> Iterable[str]:
    in_block = f"{words.bpf}.o" in state.parts.get("block", "")
    for port in ports:
        blocked = any(
            q["dev"] == port and q["kind"] == "clsact" and q.get("ingress_block") == 1
            for q in state.qdiscs
        )
        xdp = state.links.get(port, {}).get("xdp", {}).get("mode")
        found = "tc" if blocked and (in_block or not words.bpf) else None
        if xdp is not None:
            # linux/if_link.h: XDP_ATTACHED_DRV 1, XDP_ATTACHED_SKB 2
            found = {1: "xdp-native", 2: "xdp-generic"}.get(xdp, str(xdp))
        wanted = words.bpf and port in (words.bpf_ports or ports)
        expected = mode if wanted else None
        if found != expected:
            yield f"port {port}: {found or 'no'} BPF program, not {expected or 'none'}"


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
