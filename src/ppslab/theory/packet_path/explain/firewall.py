"""The firewall's rules in their order, as a packet meets them: jumps, lists, states, FastTrack."""

from __future__ import annotations

from ppslab.theory.packet_path.explain.matchers import NO, PERHAPS, YES, against
from ppslab.theory.packet_path.explain.network import FASTTRACK, MARKS, REFUSES, Network
from ppslab.theory.packet_path.explain.packets import Packet
from ppslab.theory.packet_path.exports.row import Row

ENDS = ("accept",) + REFUSES
MOST_JUMPS = 20
MOST_STEPS = 20_000
"""Rules that one packet is asked by: jumps can make more of them than a list has."""


def stops(row: Row) -> bool:
    """Whether a rule of mangle is the last one of its table that a packet meets.

    All other actions than `accept` pass it on, but with passthrough=no (MikroTik's manual, Mangle).
    """
    return row.get("passthrough") in ("no", "false")


class Step:
    """A rule that a packet was asked by."""

    def __init__(
        self, row: Row, top: Row, verdict: str, why: list[str], action: str, sure: bool
    ) -> None:
        self.row = row
        self.top = top
        """The rule of the first chain by which it came to this one."""
        self.verdict = verdict
        self.why = why
        self.action = action
        self.sure = sure
        """Whether the packet comes here for certain."""


class Walk:
    """What a chain does to a packet.  `end`: the rule that ends all that come to it.

    `forwarded`: only those packets are meant that no rule refuses.
    """

    def __init__(self, net: Network, packet: Packet, family: int, forwarded: bool = False) -> None:
        self.forwarded = forwarded
        self.to_accept = False
        """Whether it ends at the first rule that may accept the packet."""
        self.top: Row | None = None
        self.net = net
        self.packet = packet
        self.family = family
        self.steps: list[Step] = []
        self.end: Step | None = None
        self.sure = True
        self.cut = False

    def chain(self, chains: dict[str, list[Row]], name: str, depth: int = 0) -> tuple[bool, bool]:
        """Walk a chain.  Whether all that enter it end in it, and whether some may."""
        entered = self.sure
        some_end = some_return = False
        for row in chains.get(name, []):
            if depth > MOST_JUMPS or len(self.steps) >= MOST_STEPS:
                self.cut, self.sure = True, False
                return False, True
            verdict, why = against(self.net, row, self.packet, self.family)
            action = row.get("action", "accept")
            if depth == 0 or self.top is None:
                self.top = row
            step = Step(row, self.top, verdict, why, action, self.sure)
            self.steps.append(step)
            if verdict == NO:
                continue
            if self.to_accept and action == "accept":
                self.end = step
                return True, True
            if action in REFUSES and verdict != YES and self.forwarded:
                continue
            if action in ENDS or stops(row):
                some_end = True
                if verdict == YES:
                    self.end = step
                    return not some_return, True
                self.sure = False
            elif action == "jump":
                here = self.sure
                self.sure = here and verdict == YES
                ended, leaks = self.chain(chains, row.get("jump-target"), depth + 1)
                if self.to_accept and self.end is not None and self.end.action == "accept":
                    return True, True
                some_end = some_end or leaks
                if ended and verdict == YES:
                    return not some_return, True
                self.sure = here and not leaks
            elif action == "return":
                if verdict == YES:
                    break
                some_return = True
                self.sure = False
        self.sure = entered and not some_end
        return False, some_end


class Marking:
    """Whether connections of a kind are fast-tracked: yes, no or perhaps, and by which rules.

    `by`: FastTrack's rule; `front`: rules that end the packet's way before it; `perhaps`: rules
    that do so for some packets, with what it depends on; `unlike`: FastTrack's rules that it comes
    to, and that are for other packets, whatever their state; `marked_by`: the rules that gave it a
    mark, as the packet knows them; `dropped`: the rule that drops it all.
    """

    def __init__(self) -> None:
        self.answer = NO
        self.by: Row | None = None
        self.there: list[Row] = []
        self.front: list[Step] = []
        self.perhaps: list[Step] = []
        self.unlike: list[Step] = []
        self.marked_by: dict[str, list[Row]] = {}
        self.dropped: Step | None = None
        self.untracked: Step | None = None
        self.steps: list[Step] = []
        self.cut = False


TABLES = (("mangle", "prerouting"), ("mangle", "forward"), ("filter", "forward"))


def marking(net: Network, packet: Packet, family: int = 4) -> Marking:
    """What the firewall makes of one direction of a connection."""
    top = "/ip" if family == 4 else "/ipv6"
    found = Marking()
    found.marked_by = packet.marked_by
    came = packet.copied()
    came.marks = None if packet.marks is None else {name: [""] for name in MARKS}
    raw = _walk(net, "raw", "prerouting", came, family, found)
    _untrack(raw, found)
    if raw.end and raw.end.sure and raw.end.action in REFUSES:
        found.dropped = raw.end
        return found
    for table, chain in TABLES:
        menu = top + "/firewall/" + table
        if table == "mangle" and family == 6:
            continue  # /ipv6/firewall/mangle has no FastTrack
        walk = _walk(net, table, chain, packet, family, found)
        _judge(net, menu, walk, found)
        end = walk.end
        if end and end.sure and end.action in REFUSES:
            found.dropped = end
            break
    return found


def _walk(
    net: Network, table: str, chain: str, packet: Packet, family: int, found: Marking
) -> Walk:
    walk = Walk(net, packet, family, True)
    walk.chain(net.firewall_of(family).chains[table], chain)
    found.steps += walk.steps
    found.cut = found.cut or walk.cut
    return walk


def _untrack(walk: Walk, found: Marking) -> None:
    """Take the rule that leaves a packet untracked, for certain or else perhaps."""
    for step in walk.steps:
        if step.action != "notrack" or step.verdict == NO:
            continue
        if step.verdict == YES and step.sure:
            found.untracked = step
            return
        perhaps = Step(step.row, step.top, PERHAPS, step.why, step.action, step.sure)
        found.untracked = found.untracked or perhaps
        found.perhaps.append(perhaps)


def _judge(net: Network, menu: str, walk: Walk, found: Marking) -> None:
    """Take the FastTrack rules that this walk met, or did not."""
    rules = net.rows.where(menu, "action", FASTTRACK)
    if not rules:
        return
    found.there += rules
    for step in walk.steps:
        if step.action != FASTTRACK or step.verdict == NO:
            continue
        answer = YES if step.verdict == YES and step.sure else PERHAPS
        if found.answer == YES:
            return
        found.answer, found.by = answer, step.row
        if answer == YES:
            return
        if step.verdict == PERHAPS:
            found.perhaps.append(step)
        for before in walk.steps:
            if before is step:
                break
            if before.verdict == PERHAPS and before.action in ("accept", "jump", "return"):
                found.perhaps.append(before)
        return
    met = [step for step in walk.steps if step.action == FASTTRACK]
    found.unlike += [step for step in met if [one for one in step.why if not _of_state(one)]]
    if walk.end is not None and found.answer == NO and not met:
        found.front.append(walk.end)


def _of_state(word: str) -> bool:
    return word.startswith("connection-state=")
