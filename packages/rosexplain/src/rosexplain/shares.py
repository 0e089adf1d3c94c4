"""Routing marks that also take what one network of the LAN sends to another."""

from __future__ import annotations

from rosexplain.addresses import Range, range_of, within
from rosexplain.firewall import marking
from rosexplain.matchers import NO, YES, Matching, conditions
from rosexplain.matching import Met, met_by
from rosexplain.network import NO_MARK, Network
from rosexplain.packet import Packet
from rosexplain.rows import Row
from rosexplain.unused import CLASSIFIER, MARK, MARKS, TO_TABLE, matches_nothing, nowhere
from rosexplain.uplinks import CHOOSE, is_default, table_of

PREROUTING = "prerouting"
OF_PACKETS = ("packet-mark", "routing-mark")
OF_MARKS = (MARK,) + OF_PACKETS
GOES_ON = ("passthrough", "log", "add-src-to-address-list", "add-dst-to-address-list",
           "change-dscp", "change-mss", "change-ttl", "set-priority", "clear-df", "sniff-tzsp",
           "sniff-pc", "mark-packet")  # fmt: skip
"""Actions of mangle behind which a packet goes on, with the marks that routing reads."""
OF_ENDS = ("src-address", "dst-address", "src-address-list", "dst-address-list",
           "in-interface", "in-interface-list")  # fmt: skip
"""Matchers of a packet's ends: where one of them is doubtful, so is who gets a mark."""
MOST_NETWORKS = 12
"""Networks of which each is asked with each other one."""


def met(net: Network) -> list[Met]:
    """The rule that holds, with the rules of mangle that meet it."""
    return met_by([("mark-takes-local", TO_TABLE, _taking(net))])


def _taking(net: Network) -> list[Row]:
    """The rules of prerouting by which networks of the LAN do not reach each other, in order.

    None where a routing rule or a VRF may choose the table in the mark's place, and none of two
    networks that the forward chain keeps apart.
    """
    rules = [row for row in net.rows.where("/ip/firewall/mangle", "action", "mark-routing")
             if row.get("chain") == PREROUTING]  # fmt: skip
    if not rules or net.is_part or any(map(net.rows.of, CHOOSE + ("/ip/vrf", "/ip/route/vrf"))):
        return []
    idle = list(nowhere(net))
    own = _networks(net)[:MOST_NETWORKS]
    taking: list[Row] = []
    for name, source in own:
        for other, to in own:
            if name != other and not (within(source, to) or within(to, source)):
                packet = _between(name, source, other, to)
                rows = [row for row in _marked(net, packet) if row not in idle + taking]
                rows = [row for row in rows if _leads_out(net, row.get(TO_TABLE), to)]
                kept = rows and marking(net, packet).dropped is not None
                taking += [] if kept else rows
    return [row for row in rules if row in taking]


def _networks(net: Network) -> list[tuple[str, Range]]:
    """The networks of hosts that the router serves by DHCP, each with its interface."""
    every = [(net.above(row.get("interface")), range_of(row.get("address")))
             for row in net.rows.of("/ip/address")]  # fmt: skip
    return [(name, bounds) for name, bounds in every
            if bounds is not None and bounds[0] < bounds[1]
            and name in net.served and name not in net.wan]  # fmt: skip


def _between(name: str, source: Range, other: str, to: Range) -> Packet:
    """The first packet of a connection from one network to another."""
    packet = Packet("new")
    packet.ins, packet.outs = [name], [other]
    packet.src, packet.dst = [source], [to]
    packet.ipsec = False
    return packet


def _marked(net: Network, packet: Packet) -> list[Row]:
    """The rules that give a packet a routing mark for certain, or as its share of connections.

    None behind a rule that may end its way, or may give it another mark.
    """
    asked = Matching(net, packet)
    given: list[str] = []
    whole = False  # a mark that all of them have, not a share
    taking: list[Row] = []
    for row in net.firewall_of(4).chains["mangle"].get(PREROUTING, []):
        action, mark = row.get("action", "accept"), row.get(MARK)
        if action in GOES_ON or matches_nothing(row):
            continue
        asks = [one for one in conditions(row) if one[0] not in OF_MARKS + (CLASSIFIER,)]
        verdicts = [(name, asked.verdict(name, value)) for name, value in asks]
        if NO in [verdict for _, verdict in verdicts] or (mark == NO_MARK and whole):
            continue
        doubtful = [name for name, verdict in verdicts if verdict != YES]
        doubtful += [name for name in OF_PACKETS if row.get(name) not in ("", NO_MARK)]
        if action == "mark-connection":
            if any(name in OF_ENDS for name in doubtful):
                return taking
            if not doubtful and mark in ("", NO_MARK) and row.get("passthrough") != "no":
                given.append(row.get(MARKS))
                whole = whole or not row.says(CLASSIFIER)
        elif action == "mark-routing":
            reads = mark in given or not mark or (mark == NO_MARK and not given)
            taking += [row] if reads and not doubtful else []
        elif not mark or mark in given or mark[0] == "!" or mark == NO_MARK:
            return taking  # an accept, or a chain of its own
    return taking


def _leads_out(net: Network, table: str, to: Range) -> bool:
    """Return True if a table has a default route, and no other that a network is in."""
    routes = [row for row in net.rows.of("/ip/route") if table_of(row) == table]
    others = [range_of(row.get("dst-address")) for row in routes if not is_default(row)]
    near = any(one is None or within(one, to) or within(to, one) for one in others)
    return not near and any(is_default(row) and row.get("gateway") for row in routes)
