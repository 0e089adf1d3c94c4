"""Why a class takes its way: the fact, the rule behind it, and the lines that meet it."""

from __future__ import annotations

from ppslab.theory.packet_path.explain.firewall import Marking
from ppslab.theory.packet_path.explain.matchers import NO, YES
from ppslab.theory.packet_path.explain.network import Network
from ppslab.theory.packet_path.explain.network.interface_lists import unique
from ppslab.theory.packet_path.exports.reading import Command

RULE_OF = {
    "fast-path-allowed": ("allow", "allow-ipv6"),
    "bridge-fast-path-setting": ("bridge-allow", "bridge-allow"),
    "fast-path-tracking": ("tracking", "tracking"),
    "fast-path-firewall": ("fasttrack", "fasttrack-ipv6"),
    "fasttrack-accept-in-front": ("accept-in-front", "accept-in-front"),
    "fasttrack-around": ("fasttrack", "fasttrack-ipv6"),
    "fasttrack-main-table": ("fasttrack", "fasttrack-ipv6"),
    "fasttrack-established": ("fasttrack", "fasttrack-ipv6"),
    "fasttrack-tcp-udp": ("fasttrack", "fasttrack-ipv6"),
    "fast-path-bond": ("bond-out", "bond-out"),
    "fast-path-hardware-queue": ("port-queue", "port-queue"),
    "fast-path-driver": ("chr-adapters", "chr-adapters"),
    "fast-forward-no-vlan-filtering": ("vlan-filtering", "vlan-filtering"),
}
"""The rule behind a reason of packet_way that no feature closes, for IPv4 and IPv6."""


class Reason:
    """Why: the fact that decides, the rule that met it, the lines, and what of them in words."""

    def __init__(self, fact: str, rule: str, lines: list[Command], why: str) -> None:
        self.fact = fact
        self.rule = rule
        self.lines = lines
        self.why = why


def instead_of(
    net: Network,
    met: dict[str, list[Command]],
    fact: str,
    lines: list[Command],
    markings: list[Marking],
) -> Reason | None:
    """Why nothing meets a FastTrack rule, or nothing that is tracked, where that is so."""
    if fact not in ("fasttrack-accept-in-front", "fasttrack-established"):
        return None
    untracked = [m.untracked for m in markings if m.untracked]
    reached = any(m.answer != NO for m in markings)
    if untracked and (reached or [step for step in untracked if step.verdict == YES]):
        rows = _once([step.row.first for step in untracked])
        sure = [step for step in untracked if step.verdict == YES]
        why = "they are not tracked" if sure else "what it matches is not tracked"
        return Reason("fasttrack-established", "not-tracked", rows, why)
    if fact == "fasttrack-accept-in-front":
        unlike = [step for m in markings for step in m.unlike]
        if unlike and not [m for m in markings if m.front or m.perhaps]:
            words = unique([word for step in unlike for word in step.why])
            rows = [step.row.first for step in unlike] + _marking(markings, words)
            why = "the rule matches only " + ", ".join(words)
            return Reason("fasttrack-established", "", _once(rows), why)
        if lines or "never-reached" not in met:
            return None
        why = "no packet meets it"
        return Reason("fasttrack-established", "never-reached", met["never-reached"], why)
    told, _ = net.setting("/ip/firewall/connection/tracking", "enabled")
    if "not-tracked" not in met or told != "no":
        return None
    why = "they are not tracked"
    return Reason("fasttrack-established", "not-tracked", met["not-tracked"], why)


def lines_of(
    net: Network, met: dict[str, list[Command]], rule: str, markings: list[Marking]
) -> list[Command]:
    """The lines that meet a rule, or that do what a reason of packet_way says."""
    if rule == "accept-in-front":
        found = [step.row.first for m in markings for step in m.front + m.perhaps]
        return _once(found) or met.get(rule, [])
    if rule == "tracking":
        _, line = net.setting("/ip/firewall/connection/tracking", "enabled")
        if line is not None:
            return [line]
        rules = [met.get(each, []) for each in ("fasttrack", "rules", "nat", "rules-ipv6")]
        return [lines[0] for lines in rules if lines][:1]
    return met.get(rule, [])


def _marking(markings: list[Marking], words: list[str]) -> list[Command]:
    """The rules that gave packets the marks for which others do not match them."""
    names = [word.partition("=")[0] for word in words]
    return [
        row.first
        for each in markings
        for mark, rows in each.marked_by.items()
        for row in rows
        if mark.partition("=")[0] in names
    ]


def _once(lines: list[Command]) -> list[Command]:
    found: list[Command] = []
    seen: set[int] = set()
    for line in lines:
        if id(line) not in seen:
            seen.add(id(line))
            found.append(line)
    return found
