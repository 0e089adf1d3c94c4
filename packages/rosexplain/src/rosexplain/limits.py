"""The limits of the rate that a packet of a path meets, and those that an export sets at all."""

from __future__ import annotations

from typing import NamedTuple

from rosexplain import decide, queues, radios, trace
from rosexplain.addresses import range_of, within
from rosexplain.classify import Explanation
from rosexplain.decide import IN_CHIP
from rosexplain.matchers import NO, YES
from rosexplain.network import Network
from rosexplain.ordered import unique
from rosexplain.packet import Packet
from rosexplain.parse import Command
from rosexplain.queues import ALWAYS, CPU, SLOW, bits_of, takes
from rosexplain.rows import Row
from rosexplain.traffic import BRIDGED, ESTABLISHED
from rosexplain.unused import queues_of_ports
from rosexplain.uplinks import ANYWHERE, CLIENTS

OPEN = (decide.FAST, decide.HALF)
"""The paths that are there only while no simple queue and no tree of global is."""
PAST = {ALWAYS: (), CPU: IN_CHIP, SLOW: IN_CHIP + OPEN + (decide.FASTTRACK,)}
"""By a word of `limits` the paths past it (facts l3hw-never-marked, fasttrack-around)."""


OF_QUEUES = ("queue-tree-limit", "simple-queue-limit")
"""The rules about a queue's max-limit."""


OF_HOSTS = (queues.SIMPLE, queues.TREE, queues.TYPES) + tuple(
    ["/interface/wireless", "/interface/wireless/access-list"]
    + [menu for menu, _ in queues.DYNAMIC_LIMITS]
)
"""The menus of limits for some hosts; a limit elsewhere is a port's or the CPU's."""


def past(word: str, paths: list[str]) -> bool:
    """Return True if no packet of these paths meets what the word says."""
    return all(path in PAST[word] for path in paths)


class Limit(NamedTuple):
    """A rule and the lines that meet it; `past`: the path whose packets do not, of all of them.

    `shared`: the first is a queue's max-limit for several hosts, as of a whole line; `whole`: it is
    such a queue's, a port's or the CPU's, not that of some hosts.
    """

    rule: str
    lines: list[Command]
    past: str
    shared: bool
    whole: bool


def limits(explanation: Explanation) -> list[Limit]:
    """The limits in the order of the rules, for what is routed, or else bridged."""
    classes = [v for v in explanation.classes if v.traffic.kind == ESTABLISHED]
    classes = classes or [v for v in explanation.classes if v.traffic.kind == BRIDGED]
    paths = unique([path for verdict in classes for path in verdict.ways]) or [decide.SLOW]
    trees = {id(row.command("max-limit")): word
             for row, word in queues.of_trees(explanation.net.rows)}  # fmt: skip
    for row, word in queues.of_pcq(explanation.net.rows):
        trees[id(row.command("pcq-rate"))] = word
    unset = queues.of_nobody(explanation.net.rows) if not explanation.net.missing else []
    nobody = unset + radios.queues_of_caps(explanation.net)
    idle = {id(row.first) for row in nobody}
    idle |= {id(row.command("max-limit")) for row, _ in queues_of_ports(explanation.net)}
    unasked = queues.unanswered(explanation.net.rows)
    serving = queues.serves_ppp(explanation.net.rows) or not explanation.net.rows.of("/ip/address")
    if not serving:  # a part of an export may lack the servers
        unasked += explanation.net.rows.of("/ppp/aaa")
    idle |= {id(row.command(queues.RADIUS)) for row in unasked}
    if explanation.net.idle_hotspots and not explanation.net.rows.of(queues.HOTSPOT):
        guests = explanation.net.rows.of(queues.GUESTS) + explanation.net.rows.of(queues.LOGINS)
        idle |= {id(row.command(name)) for row in guests for name in (queues.RATE, queues.RADIUS)}
    if not serving and not any(explanation.net.rows.of("/interface/" + kind) for kind in CLIENTS):
        idle |= {id(row.command("rate-limit")) for row in explanation.net.rows.of(queues.PROFILES)}
    binding = queues.binding(explanation.net.rows)
    bound = [row.command("max-limit") for row in binding]
    shared = {id(row.command("max-limit")) for row in binding if _of_line(explanation.net, row)}
    elsewhere = {id(row.command("max-limit")) for row in queues.elsewhere(explanation.net.rows)}
    rows: list[Limit] = []
    for rule in explanation.net.base["rules"]:
        lines = [line for line in explanation.met.get(rule["id"], []) if id(line) not in idle]
        if not lines or "limits" not in rule:
            continue
        # Where such a queue comes with a session, it closes what is open.
        own = [decide.SLOW if p in OPEN and rule["limits"] == SLOW else p for p in paths]
        meet = [line for line in lines if not past(trees.get(id(line), rule["limits"]), own)]
        fast = decide.FASTTRACK if decide.FASTTRACK in own else decide.FAST
        by = decide.CHIP if past(CPU, own) else fast
        lines = meet or lines
        if rule["id"] in OF_QUEUES:  # what is looser than another on its way limits nothing
            known = {id(line) for line in lines}
            lines = [line for line in bound if id(line) in known] or lines
            lines = [line for line in lines if id(line) not in elsewhere] or lines
        of_line = id(lines[0]) in shared
        whole = of_line or lines[0].menu not in OF_HOSTS
        rows.append(Limit(rule["id"], lines, "" if meet else by, of_line, whole))
    return rows


def _of_line(net: Network, queue: Row) -> bool:
    """Return True if a queue limits a whole line: one of the tree, or where each network has one.

    Where others have none, it is meant for its network, such as that of guests; with a time, marks
    or another end than a line, it is meant for these.
    """
    dst = queue.get("dst")
    if (
        queue.says("time")
        or queue.get("packet-marks")
        or (dst not in ("", ANYWHERE) and net.above(dst) not in net.wan)
    ):
        return False
    if queue.menu.path == queues.TREE or queues.of_host(queue):
        return queue.menu.path == queues.TREE
    targets = [text for row in net.rows.of(queues.SIMPLE) for text in row.get("target").split(",")]
    ranges = [one for one in [range_of(text) for text in targets] if one is not None]
    names = [net.above(text) for text in targets]
    for row in net.rows.of("/ip/address"):
        whole, name = range_of(row.get("address")), net.above(row.get("interface"))
        if whole is None or name not in net.inside or name in names:
            continue
        if not any(within(whole, one) for one in ranges):
            return False
    return True


EACH, SHARED, STREAM = "each", "shared", "stream"
"""A limit that each address has for itself, that several share, that is of one stream."""
PER_ADDRESS = ("src-address", "dst-address")
"""The keys by which a PCQ tells customers apart: in their uploads, and their downloads."""


class Rate(NamedTuple):
    """A limit on a packet: its rate [bit/s], for whom, and the row that says it."""

    rate: int
    kind: str
    row: Row


def rates_of(explanation: Explanation, packet: Packet, paths: list[str]) -> list[Rate]:
    """The limits that a packet meets on its paths: of queues, and of ports."""
    net = explanation.net
    rates = _queue_rates(net, packet, paths)
    leaving = _below(net, packet.outs or [])
    coming = _below(net, packet.ins or [])
    for row in net.rows.of("/interface/ethernet"):
        if row.name in leaving + coming and row.get("auto-negotiation") in ("no", "false"):
            speed = row.get("speed").partition("-")[0]
            rates.append(Rate(bits_of(speed), SHARED, row))
    for menu, name in (("/interface/ethernet", "bandwidth"),
                       ("/interface/ethernet/switch/port", "egress-rate"),
                       ("/interface/ethernet/switch/port", "ingress-rate")):  # fmt: skip
        for row in net.rows.of(menu):
            sides = row.get(name).split("/") if row.says(name) else []
            if row.name in leaving and sides and name != "ingress-rate":
                rates.append(Rate(bits_of(sides[-1]), SHARED, row))
            if row.name in coming and sides and name != "egress-rate":
                rates.append(Rate(bits_of(sides[0]), SHARED, row))
    return [rate for rate in rates if rate.rate]


def _queue_rates(net: Network, packet: Packet, paths: list[str]) -> list[Rate]:
    if past(CPU, paths):
        return []
    rates: list[Rate] = []
    fast = past(SLOW, paths)
    marks = [] if fast else _packet_marks(net, packet)
    if not fast:
        rates += _simple_rates(net, packet, "", marks)
    leaving = _below(net, packet.outs or [])
    up = bool([name for name in packet.outs or [] if net.above(name) in net.wan])
    for branch in queues.branches(net.rows):
        hung = branch.root in leaving or (branch.root == queues.GLOBAL and not fast)
        if hung and takes(branch.marks, marks):
            rates += [Rate(bits_of(row.get("max-limit")), SHARED, row) for row in branch.rows]
            leaf = branch.rows[0]
            rates += _type_rates(net, leaf.get("queue"), leaf, PER_ADDRESS[0 if up else 1])
    for row in net.rows.of("/queue/interface"):
        if row.name in leaving + ["*"]:
            rates += _type_rates(net, row.get("queue"), row, "")
    return rates


def _below(net: Network, names: list[str]) -> list[str]:
    """Interfaces with what carries them, down to the ports."""
    every = list(names)
    for name in names:
        every += net.bridges_below([name]) + net.ports_below(name)
    return unique(every)


def _packet_marks(net: Network, packet: Packet) -> list[str]:
    """The packet marks that mangle may give it."""
    if not any(row.get("action") == "mark-packet" for row in net.rows.of("/ip/firewall/mangle")):
        return []
    marks: list[str] = []
    for step in trace.followed(net, packet.copied())[0]["steps"]:
        if step["action"] == "mark-packet" and step["verdict"] != NO:
            before = [] if step["verdict"] == YES else marks
            marks = before + [step["command"].properties.get("new-packet-mark", "")]
    return marks


def _simple_rates(net: Network, packet: Packet, parent: str, marks: list[str]) -> list[Rate]:
    """Those of the first simple queue that takes a packet, and of its children."""
    for row in net.rows.of("/queue/simple"):
        if row.get("parent", "none").replace("none", "") != parent:
            continue
        side = _side(net, row, packet)
        if side < 0 or not takes(queues.marks_in(row.get("packet-marks")), marks):
            continue
        host = (packet.dst if side else packet.src) or []
        alone = [text for text in row.get("target").split(",") if _alone(text)]
        kind = EACH if alone and host else SHARED
        rates = [Rate(bits_of(_of_side(row.get("max-limit"), side)), kind, row)]
        rates.append(Rate(bits_of(row.get("total-max-limit")), kind, row))
        rates += _type_rates(net, _of_side(row.get("queue"), side), row, PER_ADDRESS[side])
        return rates + (_simple_rates(net, packet, row.name, marks) if row.name else [])
    return []


def _alone(text: str) -> bool:
    whole = range_of(text)
    return whole is not None and whole[0] == whole[1]


def _of_side(text: str, side: int) -> str:
    sides = text.split("/")
    return sides[side] if side < len(sides) else sides[0]


def _side(net: Network, row: Row, packet: Packet) -> int:
    """0: it is the upload of a queue's target, 1: the download, -1: neither."""
    for text in row.get("target").split(","):
        whole = range_of(text)
        if text == "" or (whole is not None and whole[0] == 0):
            return 0
        for side, part, names in ((0, packet.src, packet.ins), (1, packet.dst, packet.outs)):
            if whole is not None and part and within((part[0][0], part[0][0]), whole):
                return side
            if whole is None and net.above(text) in _below(net, names or []):
                return side
    return -1


def _type_rates(net: Network, name: str, row: Row, address: str) -> list[Rate]:
    """Those of a queue's type; `address`: what a PCQ tells streams apart by that gives each his."""
    rates: list[Rate] = []
    for kind in net.rows.of("/queue/type"):
        if kind.name == name and kind.get("kind") == "pcq":
            by = kind.get("pcq-classifier")
            whose = EACH if by == address else STREAM
            rates.append(Rate(bits_of(kind.get("pcq-rate")), whose, row))
        if kind.name == name and kind.get("kind") == "cake":
            rates.append(Rate(bits_of(kind.get("cake-bandwidth")), SHARED, row))
    return rates
