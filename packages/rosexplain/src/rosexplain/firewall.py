"""A packet's way through the firewall's tables, rule by rule, and FastTrack's part in it."""

from __future__ import annotations

from typing import Any

from rosexplain.matchers import NO, PERHAPS, YES, Chain, Matching, alike, words_of
from rosexplain.network import FASTTRACK, MARKS, REFUSES, TOP, Network
from rosexplain.ordered import unique
from rosexplain.packet import Packet, key_of
from rosexplain.rows import Row

ENDS = ("accept",) + REFUSES
TRANSLATES = ("dst-nat", "redirect", "netmap", "src-nat", "masquerade", "same",
              "endpoint-independent-nat")  # fmt: skip
MOST_JUMPS = 20
MOST_STEPS = 20_000
"""Rules that one packet is asked by: jumps can make more of them than a list has."""
MOST_STATES = 50
"""Combinations of marks that are followed; whoever has more gets "perhaps"."""


def stops(row: Row) -> bool:
    """Return True if a rule of mangle passes no packet on, whatever its action."""
    return row.get("passthrough") in ("no", "false")


def ends(row: Row) -> bool:
    """Return True if a packet that a rule matches meets no further rule of its table.

    Behind `jump` and `return` it meets those of another chain, behind all others the next rule.
    """
    return row.get("action", "accept") in ENDS + TRANSLATES or stops(row)


class Step:
    """A rule that a packet is asked by: its line, its verdict and its action.

    `by`: the jump that leads to its chain, None in the first chain; `matchers`: the names of those
    by which it does not match, or perhaps not; `sure`: whether the packet comes here for certain.
    """

    def __init__(
        self,
        net: Network,
        row: Row,
        by: Step | None,
        verdict: str,
        matchers: list[str],
        sure: bool,
    ) -> None:
        self.net = net
        self.row = row
        self.by = by
        self.verdict = verdict
        self.matchers = matchers
        self.action = row.get("action", "accept")
        self.sure = sure

    @property
    def why(self) -> list[str]:
        """The matchers with their values, as they may be shown: of few steps among thousands."""
        return words_of(self.net, self.row, self.verdict, self.matchers)

    @property
    def jumps(self) -> list[Step]:
        """The jumps that lead to its chain, the last first."""
        jumps: list[Step] = []
        jump = self.by
        while jump is not None:
            jumps.append(jump)
            jump = jump.by
        return jumps

    @property
    def top(self) -> Row:
        """The rule of the first chain by which the packet comes to this one."""
        return ([self] + self.jumps)[-1].row


class Walk:
    """A packet's way through the chains of a table; `steps`: its trace.

    `end`: the last step that ends all that come to it; `cut`: there are more rules than are
    followed; `forwarded`: only those packets are meant that no rule refuses; `whole`: the rules
    that do not match it are steps too, not FastTrack's alone.
    """

    def __init__(
        self,
        net: Network,
        packet: Packet,
        table: str,
        forwarded: bool = False,
        whole: bool = False,
    ) -> None:
        self.net = net
        self.packet = packet
        self.table = table
        self.asked = Matching(net, packet)
        self.forwarded = forwarded
        self.whole = whole
        self.steps: list[Step] = []
        self.end: Step | None = None
        self.cut = False
        self._numbers: dict[int, list[int]] = {}
        self.count = 0
        """The rules that it was asked by, for each set of marks that it may have."""

    def chain(
        self,
        name: str,
        here: list[Any],
        by: Step | None = None,
        sure: bool = True,
        depth: int = 0,
    ) -> tuple[list[Any], list[Any]]:
        """Follow the packets `here` through a chain; those that leave it, and that end in it.

        `here`: one packet, or the sets of marks that it may have; `sure`: it comes for certain.
        """
        back: list[Any] = []
        ended: list[Any] = []
        chain = chain_of(self.net, self.packet.family, self.table, name)
        rows, at = chain.rows, -1
        for number in self.numbers(chain):
            passed = min(number, len(rows) - 1) - at
            if not here or not passed:
                break
            self.count += len(here) * passed
            many = depth > MOST_JUMPS or self.count > MOST_STEPS
            if many or len(here) > MOST_STATES or len(ended) > MOST_STATES:
                self.too_many()
                break
            if number == len(rows):
                break
            row, at = rows[number], number
            whole = sure and not back and not ended and not self.cut
            step, matched, left = self.ask(row, here, by, whole)
            if not matched:
                here = left
                continue
            if step.action == "jump":
                target = row.get("jump-target")
                out, inside = self.chain(target, matched, step, whole and not left, depth + 1)
                left, ended = left + out, self.distinct(ended + inside)
            elif step.action == "return":
                back += matched
            elif step.action in ENDS or stops(row):
                ended = self.distinct(ended + matched)
                self.end = self.end if left else step
            else:
                left = left + matched
            here = self.distinct(left)
        return self.distinct(here + back), ended

    def numbers(self, chain: Chain) -> list[int]:
        """The rules of a chain that are asked, in their order, and the number of all.

        The others are only counted.  A chain that jumps lead to often is looked through once.
        """
        if id(chain) not in self._numbers:
            numbers = list(range(len(chain.rows)))
            if not self.whole:
                numbers = chain.numbers(chain.may(self.asked) | chain.fasttrack)
            self._numbers[id(chain)] = numbers + [len(chain.rows)]
        return self._numbers[id(chain)]

    def ask(
        self, row: Row, here: list[Any], by: Step | None, sure: bool
    ) -> tuple[Step, list[Any], list[Any]]:
        """The step of a rule, the packets that it matches, and those that it does not."""
        verdict, matchers = self.asked.against(row)
        step = Step(self.net, row, by, verdict, matchers, sure)
        self.steps.append(step)
        if verdict == YES:
            return step, here, []
        if verdict == NO or (self.forwarded and step.action in REFUSES):
            return step, [], here
        return step, here, here

    def distinct(self, here: list[Any]) -> list[Any]:
        """The same packets, each once."""
        if len(here) == 2 and here[0] is here[1]:  # so with most rules of a long list
            return here[:1]
        return here if len(here) < 2 else unique(here, id)

    def too_many(self) -> None:
        """There are more rules than are followed."""
        self.cut = True


def chain_of(net: Network, family: int, table: str, name: str) -> Chain:
    """A chain of a table, whose rules are sorted by their matchers once."""
    lists = net.firewall_of(family)
    chains = lists.sorted_chains[table]
    if name not in chains:
        chains[name] = Chain(lists.chains[table].get(name, []))
    chain: Chain = chains[name]
    return chain


def walk(
    net: Network,
    packet: Packet,
    table: str,
    chain: str,
    forwarded: bool = False,
    whole: bool = False,
) -> Walk:
    """A packet's way through a chain of a table, followed once for all packets that are alike."""
    lists = net.firewall_of(packet.family)
    asked = packet.marks is not None and table in lists.asking_tables
    marks = str(packet.marks) if asked else None
    within = packet.marks_by if asked and table == "mangle" else ()  # its marks change there alone
    key = (alike(net, packet, table, chain), marks, within, chain, forwarded, whole)
    walks = lists.walks[table]
    way: Walk | None = walks.get(key)
    if way is None:
        way = walks[key] = Walk(net, packet, table, forwarded, whole)
        way.chain(chain, [packet])
    return way


class Marking:
    """FastTrack's answer for connections of a kind: yes, no or perhaps, and the rules.

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


def untracking(way: Walk) -> Step | None:
    """The step of raw that leaves a packet untracked, sure or perhaps; None: it is tracked."""
    perhaps = None
    for step in way.steps:
        if step.action != "notrack" or step.verdict == NO:
            continue
        if step.verdict == YES and step.sure:
            return step
        perhaps = perhaps or Step(step.net, step.row, step.by, PERHAPS, step.matchers, step.sure)
    return perhaps


def behind_raw(packet: Packet, step: Step | None) -> Packet:
    """The packet as the tables behind raw see it: untracked where a rule of raw left it so."""
    if step is None:
        return packet
    other = packet.copied()
    if step.verdict == YES:
        other.state = "untracked"
    else:
        other.perhaps_untracked = True
    return other


def led_to(net: Network, family: int, table: str, chain: str) -> dict[str, list[Row]]:
    """The chains that a chain's jumps lead to, itself among them; each with the jumps to it."""
    every = net.rows.where(TOP[family] + "/firewall/" + table, "action", "jump")
    jumps: dict[str, list[Row]] = {chain: []}
    todo = [chain]
    while todo:
        come_from = todo.pop()
        for row in every:
            target = row.get("jump-target")
            if row.get("chain") != come_from or not target:
                continue
            if target not in jumps:
                jumps[target] = []
                todo.append(target)
            jumps[target].append(row)
    return jumps


FORWARDED = {"raw": ("prerouting",), "mangle": ("prerouting", "forward", "postrouting"),
             "filter": ("forward",), "nat": ("dstnat", "srcnat")}  # fmt: skip
"""By table: the chains that forwarded packets enter."""


def of_forwarded(net: Network, table: str) -> list[str]:
    """The chains of a table of IPv4's firewall that forwarded packets come to."""
    return [chain for top in FORWARDED[table] for chain in led_to(net, 4, table, top)]


TABLES = (("mangle", "prerouting"), ("mangle", "forward"), ("filter", "forward"))


def marking(net: Network, packet: Packet) -> Marking:
    """Return FastTrack's part in one direction of a connection, once for all packets alike."""
    if packet.marked_by or packet.marks_by:
        return _marking(net, packet)
    known = net.firewall_of(packet.family).markings
    key = (key_of(packet.parts()), str(packet.marks))
    if key not in known:
        known[key] = _marking(net, packet)
    part: Marking = known[key]
    return part


def _marking(net: Network, packet: Packet) -> Marking:
    result = Marking()
    result.marked_by = packet.marked_by
    came = packet
    if packet.marks is not None:
        came = packet.copied()
        came.marks = {name: [""] for name in MARKS}
    raw = _walk(net, "raw", "prerouting", came, result)
    result.untracked = untracking(raw)
    if result.untracked is not None and result.untracked.verdict == PERHAPS:
        result.perhaps.append(result.untracked)
    left = result.untracked is not None and result.untracked.verdict == YES
    if raw.end and raw.end.sure and raw.end.action in REFUSES:
        result.dropped = raw.end
        return result
    for table, chain in TABLES:
        if table == "mangle" and packet.family == 6:
            continue  # /ipv6/firewall/mangle has no FastTrack
        rules = net.rows.where(TOP[packet.family] + "/firewall/" + table, "action", FASTTRACK)
        if not rules and not chain_of(net, packet.family, table, chain).ends:
            continue
        way = _walk(net, table, chain, packet, result)
        _judge(rules, way, result)
        end = way.end
        if left:  # FastTrack's rules are judged as of what is tracked, and so are their reasons
            end = walk(net, behind_raw(packet, result.untracked), table, chain, True).end
        if end and end.sure and end.action in REFUSES:
            result.dropped = end
            break
    return result


def _walk(net: Network, table: str, chain: str, packet: Packet, result: Marking) -> Walk:
    way = walk(net, packet, table, chain, True)
    result.steps += way.steps
    result.cut = result.cut or way.cut
    return way


def _judge(rules: list[Row], way: Walk, result: Marking) -> None:
    """Take the FastTrack rules of a table that the packets meet on their way, or do not."""
    if not rules:
        return
    result.there += rules
    sure = [step for step in way.steps if step.action == FASTTRACK and step.sure]
    sure = [step for step in sure if step.verdict == YES]
    if sure and result.answer != YES:
        # A packet goes on after a FastTrack rule: one that only perhaps matches is in nobody's way.
        result.answer, result.by = YES, sure[0].row
        return
    for step in way.steps:
        if step.action != FASTTRACK or step.verdict == NO:
            continue
        answer = YES if step.verdict == YES and step.sure else PERHAPS
        if result.answer == YES:
            return
        result.answer, result.by = answer, step.row
        if answer == YES:
            return
        if step.verdict == PERHAPS:
            result.perhaps.append(step)
        for before in way.steps:
            if before is step:
                break
            if before.verdict == PERHAPS and before.action in ("accept", "jump", "return"):
                result.perhaps.append(before)
        return
    met = [step for step in way.steps if step.action == FASTTRACK]
    result.unlike += [
        step for step in met if [one for one in step.matchers if one != "connection-state"]
    ]
    if way.end is not None and result.answer == NO and not met:
        result.front.append(way.end)
