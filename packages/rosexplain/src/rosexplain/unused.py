"""Rules of the firewall that do nothing, and routing marks that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rosexplain import scripts
from rosexplain.addresses import bounds_of, within
from rosexplain.firewall import Step, Walk, ends, led_to, stops
from rosexplain.matchers import NO_MATCHERS, PERHAPS, YES
from rosexplain.matching import Met, met_by
from rosexplain.network import (
    FASTTRACK,
    GIVEN,
    NO_MARK,
    OF_FRAMES,
    OF_RADIOS,
    ON_PORTS,
    VLAN,
    Network,
    once,
)
from rosexplain.ordered import unique
from rosexplain.packet import Packet
from rosexplain.parse import Command
from rosexplain.queues import (
    READ_BY,
    SET_BY,
    TREE,
    below_disabled,
    elsewhere,
    in_one_line,
    limitless,
    long,
    marks_in,
    of_both_ways,
    short,
    untyped_parents,
)
from rosexplain.rows import Menu, Row, Rows
from rosexplain.selection import is_gone

IDLE = ("rule-covered", "rule-unreached", "rule-repeated")
"""The rules about what does nothing in a table of the firewall."""
TABLES = ("raw", "filter", "mangle", "nat")
EVERY_TABLE = tuple([top + "/firewall/" + table for top in ("/ip", "/ipv6") for table in TABLES])
COUNTING = ("limit", "dst-limit", "nth", "random", "connection-limit", "psd")
"""Matchers by which two equal rules do not match the same packets."""
NO_DIFFERENCE = ("comment", "disabled", "place-before", "log", "log-prefix")
"""Properties in which rules may differ that do the same."""
CHANGED = {"connection-mark": "new-connection-mark", "packet-mark": "new-packet-mark",
           "routing-mark": "new-routing-mark", "dscp": "new-dscp", "ttl": "new-ttl",
           "priority": "new-priority", "tcp-mss": "new-mss", "src-address-list": "",
           "dst-address-list": ""}  # fmt: skip
"""Matchers of what a rule before may change, each with the property that does."""
SETS = ("connection-state", "connection-nat-state", "protocol", "dst-port", "src-port", "port",
        "icmp-options")  # fmt: skip
"""Matchers of several values, of which one is enough."""
TO = ("dst-address", "dst-address-list", "protocol", "dst-port")
"""Matchers of a packet's destination."""
NETWORKS = ("src-address", "dst-address")
OF_LIST = "-interface-list"
MOST = 400
"""Rules of a table that are compared with each other."""

CLASSIFIER = "per-connection-classifier"
OF_ALL_PACKETS = ("src-address", "dst-address", "src-address-list", "dst-address-list",
                  "in-interface", "out-interface", "in-interface-list", "out-interface-list",
                  "protocol", "src-port", "dst-port", "port", "src-address-type",
                  "dst-address-type", CLASSIFIER)  # fmt: skip
"""Matchers that match all packets of a connection in one direction, if they match the first."""

MARK = "connection-mark"
MARKS = "new-connection-mark"
TO_TABLE = "new-routing-mark"
MANGLE = ("/ip/firewall/mangle", "/ipv6/firewall/mangle")
FILTERS = ("/ip/firewall/filter", "/ipv6/firewall/filter")
FILLS = ("add-src-to-address-list", "add-dst-to-address-list")
LISTS = ("src-address-list", "dst-address-list")
BY_INTERFACE = ("in-interface", "out-interface", "in-bridge", "out-bridge")
"""Matchers of an interface by its name."""
LETS_PASS = ("accept", "passthrough", "return")
"""Actions by which a rule does nothing where no other follows."""
FIREWALL = ("/ip/firewall/raw", "/ip/firewall/mangle", "/ip/firewall/filter", "/ip/firewall/nat")
CHAINS = {"raw": ("prerouting", "output"), "filter": ("input", "forward", "output"),
          "mangle": ("prerouting", "input", "forward", "output", "postrouting"),
          "nat": ("srcnat", "dstnat")}  # fmt: skip
"""The chains of each table that packets enter without a jump."""
ADDS_RULES = ("/ip/hotspot", "/ip/kid-control", "/interface/detect-internet")
"""Menus of what adds rules and jumps of its own, which no export shows."""
NO_EFFECT = ("accept", "return")
GIVES_ADDRESS = ("/ip/address", "/ip/dhcp-client", "/interface/lte", "/interface/ppp-client")
WITHOUT_SESSION = ("vlan", "ethernet", "bridge", "bonding")
"""Kinds of interfaces that have the addresses that the configuration gives them, and no other."""
NAMES_TABLE = ("routing-mark", "routing-table", "table", "default-route-tables", "vrf")
"""Properties that name a routing table, or a mark that stands for one."""


def met(net: Network) -> list[Met]:
    """The ids of the rules that hold, each with the lines that meet it."""
    idle: dict[str, set[int]] = {name: set() for name in IDLE}
    for family in (4, 6):
        for table in TABLES:
            ids = _idle(net, family, table)
            for name in IDLE:
                idle[name] |= ids[name]
    rules = [row for menu in EVERY_TABLE for row in net.rows.of(menu)]
    queues = [row.command(name) for row, name in queues_of_ports(net)]
    trunks = [row.command("in-interface") for row in rules
              if row.get("in-interface") in _trunks(net)]  # fmt: skip
    ports = [("rule-of-port", list(_of_ports(net))), ("queue-of-port", queues),
             ("rule-of-trunk", trunks)]  # fmt: skip
    every = [(name, "", [row for row in rules if id(row) in idle[name]]) for name in IDLE]
    every += [
        (
            "rule-of-gone",
            "",
            [
                row
                for menu in OF_FRAMES + EVERY_TABLE
                for row in net.rows.of(menu)
                if matches_nothing(row)
            ],
        ),
        ("rule-outside-list", "", [row for row in rules if _is_outside_list(net, row)]),
        ("queue-type-of-parent", "queue", untyped_parents(net.rows)),
        ("queue-of-both-ways", "max-limit", of_both_ways(net.rows)),
        ("queue-in-one-line", "max-limit", in_one_line(net.rows)),
    ]
    return met_by(every) + ports + mended(net)


def mended(net: Network) -> list[Met]:
    """The rules that have a remedy, and so are notes too."""
    below, fed = below_disabled(net.rows), for_nothing(net.rows)
    idle = limitless(net.rows) if not net.is_part else []
    return met_by(
        [
            ("routing-mark-nowhere", TO_TABLE, nowhere(net)),
            ("mark-for-nothing", "", fed),
            ("queue-elsewhere", "target", elsewhere(net.rows)),
            ("queue-limitless", "", [row for row in idle if row not in below + fed]),
            ("queue-of-thousands", "pfifo-limit", long(net.rows)),
            ("queue-of-ten", "", short(net.rows)),
            ("layer7-for-nothing", "layer7-protocol", _searching_for_nothing(net)),
            ("mark-not-of-router", "chain", _not_of_router(net)),
            ("answers-unmarked", "chain", _answers_unmarked(net)),
            ("firewall-for-nothing", "", firewall_for_nothing(net)),
            ("share-routed-twice", MARK, [row for row, _ in misled(net)]),
            ("shares-in-output-only", MARKS, of_answers_alone(net)),
            ("answers-by-other-line", TO_TABLE, [row for row, _ in answering(net)]),
        ]
    )


def for_nothing(rows: Rows) -> list[Row]:
    """The queues of the tree without a limit, and the rules of mangle that mark packets for them.

    Empty where no mark is for them alone, where something asks for packets without a mark, where a
    script changes rules or queues, and where FastTrack takes packets past both.
    """
    if rows.where(FILTERS[0], "action", FASTTRACK):
        return []
    below = below_disabled(rows)  # somebody may switch those above on again
    idle = [row for row in limitless(rows) if row.menu.path == TREE and row not in below]
    every = [(row, marks_in(row.get(name))) for menu, name in READ_BY["packet"]
             for row in rows.all_of(menu)]  # fmt: skip
    read = {mark for row, marks in every if row not in idle for mark in marks}
    alone = {mark for row in idle for mark in marks_in(row.get("packet-mark"))} - read
    if not alone or NO_MARK in alone | read or scripts.may_change(rows, scripts.FIREWALL):
        return []
    kept = [row for menu, name in SET_BY["packet"] for row in rows.of(menu)
            if row.get(name) in read]  # fmt: skip
    if kept:
        return []  # a packet has one mark, and may get theirs instead
    marking = [row for menu in MANGLE for row in rows.of(menu) if row.get("log") != "yes"
               and (row.get("action") == "mark-connection" or row.get("new-packet-mark") in alone)
               ]  # fmt: skip
    count = -1
    while count != len(marking):  # what stays needs others to stay
        count = len(marking)
        needed = _needed(rows, marking)
        marking = [row for row in marking if row.get(MARKS) not in needed
                   and _may_go(rows, row, marking)]  # fmt: skip
    marked = [row.get("new-packet-mark") for row in marking]
    fed = [row for row in idle if any(mark in marked for mark in marks_in(row.get("packet-mark")))]
    return marking + idle if fed else []


def _needed(rows: Rows, marking: list[Row]) -> set[str]:
    """The connection marks that must still be set if the rules `marking` mark no packets.

    All of them where something else reads one: a connection has one mark, and may keep an earlier
    one that leads it elsewhere, or none.
    """
    gone = {id(row) for row in marking}
    read = {mark for menu, name in READ_BY["connection"] for row in rows.all_of(menu)
            if id(row) not in gone for mark in marks_in(row.get(name))}  # fmt: skip
    every = {row.get(MARKS) for menu in MANGLE for row in rows.of(menu)} - {""}
    return every if NO_MARK in read or read.intersection(every) else set()


def _may_go(rows: Rows, row: Row, marking: list[Row]) -> bool:
    """Return True if a rule that marks lets the packet go on, or only other such rules follow."""
    if not stops(row):
        return True
    after = rows.of(row.menu.path)
    after = after[after.index(row) + 1 :]
    return row.get("chain") in CHAINS["mangle"] and all(
        other in marking for other in after if other.get("chain") == row.get("chain")
    )


def only_accepts(net: Network) -> bool:
    """Return True if no rule for a bridge's frames does anything but let them pass."""
    rows = [row for menu in OF_FRAMES for row in net.rows.of(menu) if not matches_nothing(row)]
    return all(row.get("action", "accept") in LETS_PASS for row in rows)


def matches_nothing(row: Row) -> bool:
    """Return True if a rule names an interface that was removed, so no packet has it."""
    return any(is_gone(row.get(name)) for name in BY_INTERFACE)


def filtering_nothing(net: Network) -> list[Row]:
    """The bridges with vlan-filtering whose ports are VLAN interfaces of the bridge's own VLAN.

    Their frames come and leave untagged, and no VLAN is told from another. MSTP and MVRP need
    vlan-filtering, and tag-stacking works with it alone; a radio or a PPP server may add ports.
    """
    rows: list[Row] = []
    others = [row.get("bridge") for row in net.rows.of("/interface/bridge/vlan")]
    others += [row.get("interface") for row in net.rows.of("/interface/vlan")]
    others += [row.get(name) for menu in OF_RADIOS + ("/ppp/profile",) for row in net.rows.of(menu)
               for name in ("bridge", "datapath.bridge")]  # fmt: skip
    for bridge in net.rows.where("/interface/bridge", "vlan-filtering", "yes"):
        if bridge.get("protocol-mode") == "mstp" or bridge.get("mvrp") == "yes":
            continue
        ports = net.port_rows.get(bridge.name, [])
        own = bridge.get("pvid", "1")
        alike = all(net.kinds.get(row.get("interface")) == "vlan" and row.get("pvid", "1") == own
                    and row.get("tag-stacking") != "yes" for row in ports)  # fmt: skip
        every = all(row.get("frame-types", ADMITS) == ADMITS for row in [bridge] + ports)
        if ports and alike and every and bridge.name not in others:
            rows.append(bridge)
    return rows


ADMITS = "admit-all"
"""The frames that a bridge and its ports take by default."""


def _is_outside_list(net: Network, row: Row) -> bool:
    """Return True if a rule asks for an interface and for a list that is sure not to have it."""
    for side in ("in-interface", "out-interface"):
        name, listed = row.get(side), row.get(side + "-list")
        settled = listed in net.lists and listed not in net.open_lists | net.dynamic_lists
        if settled and name and name[0] != "!" and name not in net.lists[listed]:
            return True
    return False


def firewall_for_nothing(net: Network) -> list[Row]:
    """The rules of IPv4's firewall, where all of them do nothing but close the fast path.

    Empty where one does something, where a service adds rules of its own, or a script changes
    some, and where RADIUS may lead a session's packets to a chain (its attribute Filter-Id).
    """
    by_profile = any(row.get("incoming-filter") or row.get("outgoing-filter")
                     for row in net.rows.of("/ppp/profile"))  # fmt: skip
    by_service = by_profile or any(net.rows.of(menu) for menu in ADDS_RULES)
    if net.missing or by_service or net.rows.where("/ppp/aaa", "use-radius", "yes"):
        return []
    if scripts.may_change(net.rows, scripts.FIREWALL):
        return []
    every: list[Row] = []
    for menu in FIREWALL:
        rows, table = net.rows.of(menu), menu.rpartition("/")[2]
        chains = [name for top in CHAINS[table] for name in led_to(net, 4, table, top)]
        called = [row for row in rows if row.get("chain") in chains]
        if not all(_leaves_alone(net, row, table) for row in called):
            return []
        every += rows
    return every


def _leaves_alone(net: Network, row: Row, table: str) -> bool:
    """Return True if a rule changes nothing for any packet, and writes nothing down.

    A packet that no rule matches is accepted, so rules that accept do nothing by themselves.
    """
    if row.get("log") == "yes":
        return False
    if table == "nat" and row.get("chain") == "srcnat":
        return _without_address(net, row.get("out-interface"))
    return table != "nat" and row.get("action", "accept") in NO_EFFECT


def _without_address(net: Network, name: str) -> bool:
    """Return True if an interface has no address and no route, so nothing is routed to it.

    One that is off counts: a line in reserve is switched on by hand.
    """
    if net.kinds.get(name) not in WITHOUT_SESSION or name in net.bridge_of:
        return False
    # A client on a port of the bridge is for the bridge.
    if any(name in (row.get("interface"), net.bridge_of.get(row.get("interface")))
           for menu in GIVES_ADDRESS for row in net.rows.all_of(menu)):  # fmt: skip
        return False
    if any(path[:9] == "/routing/" and name in menu.mentioned()
           for path, menu in net.rows.menus.items()):  # fmt: skip
        return False
    return all(name != part.rpartition("%")[2] for row in net.rows.all_of("/ip/route")
               for part in row.get("gateway").split(","))  # fmt: skip


def _of_ports(net: Network) -> Iterator[Command]:
    """The rules of a firewall that name a port of a bridge, whose packets come by the bridge."""
    for menu in EVERY_TABLE:
        for row in net.rows.of(menu):
            for name in ("in-interface", "out-interface"):
                if row.get(name).lstrip("!") in net.bridge_of:
                    yield row.command(name)


@once
def _trunks(net: Network) -> list[str]:
    """The ports that carry VLANs alone: nothing is set up on them, and no bridge has them."""
    used = [row.get("interface") for menu in ON_PORTS if menu != VLAN for row in net.rows.of(menu)]
    return [row.get("interface") for row in net.rows.of(VLAN)
            if net.kinds.get(row.get("interface"), "ethernet") in ("ethernet", "bonding")
            and row.get("interface") not in used and row.get("interface") not in net.bridge_of
            and row.get("interface") not in net.wan]  # fmt: skip


@once
def unmet(net: Network) -> list[Row]:
    """The rules of mangle with a routing mark that no packet meets, by the port that they name.

    Or they ask for a mark that only rules give which name such a port.
    """
    rows = net.rows.of(MANGLE[0])
    ports = set(net.bridge_of) | set(_trunks(net))
    idle = [row for row in rows if row.get("in-interface") in ports]
    known = {id(row) for row in idle}
    for row in rows:
        for name, gives in GIVEN[:2]:
            asked = row.get(name) if id(row) not in known else ""
            giving = net.rows.where(MANGLE[0], gives, asked) if asked else []
            if giving and all(id(one) in known for one in giving):
                known.add(id(row))
                idle.append(row)
    return [row for row in idle if row.get("action") == "mark-routing"]


def _idle(net: Network, family: int, table: str) -> dict[str, set[int]]:
    """The ids of the rows of a table that do nothing, by the rule that says why."""
    chains = net.firewall_of(family).chains[table]
    ways = {chain: _Way(net, family, table, chain) for chain in chains}
    idle: dict[str, set[int]] = {name: set() for name in IDLE}
    for chain, rows in chains.items():
        way = ways[chain]
        if not way.cut:
            idle["rule-unreached"].update([id(row) for row in rows if id(row) not in way.reached])
        idle["rule-covered"].update(_covered(net, rows, ways))
        idle["rule-repeated"].update(_repeated(rows))
    return idle


class _Way(Walk):
    """The way of all packets through a chain: a rule with a matcher takes some of them.

    `reached`: the ids of the rows that a packet may come to; `closed`: none comes out of the chain.
    """

    def __init__(self, net: Network, family: int, table: str, chain: str) -> None:
        packet = Packet()
        packet.family = family
        super().__init__(net, packet, table, whole=True)
        self.reached: set[int] = set()
        out, _ = self.chain(chain, [packet])
        self.closed = not out and not self.cut

    def ask(
        self, row: Row, here: list[Any], by: Step | None, sure: bool
    ) -> tuple[Step, list[Any], list[Any]]:
        """The step of a rule, the packets that it matches, and those that it does not."""
        self.reached.add(id(row))
        verdict = PERHAPS if _matchers(row) else YES
        matched = [] if ends(row) else here
        return Step(self.net, row, by, verdict, [], sure), matched, here if verdict != YES else []


def _covered(net: Network, rows: list[Row], ways: dict[str, _Way]) -> Iterator[int]:
    # By their matchers: a rule that has one which the later rule lacks is hardly asked any more;
    # and by the values of one, so that a long list is not compared rule by rule.
    before: dict[tuple[str, ...], dict[str, list[Row]]] = {}
    for row in rows[:MOST]:
        own = _matchers(row)
        alike = [names for names in before if all(_may_imply(name, row) for name in names)]
        if any(_covers(net, rule, names, row, ways) for names in alike
               for rule in before[names].get(_values(names, row)[0], [])):  # fmt: skip
            yield id(row)
        elif own and not _counts(row):
            for value in _values(own, row):
                before.setdefault(tuple(own), {}).setdefault(value, []).append(row)
        if changed := _changed_by(row):
            for names in [one for one in before if any(name in changed for name in one)]:
                del before[names]


def _values(names: Iterable[str], row: Row) -> list[str]:
    """The values of the first matcher that only an equal value, or one of a list, can imply."""
    for name in names:
        if name not in NETWORKS and name != "ipsec-policy" and not name.endswith(OF_LIST):
            return row.get(name).split(",") if name in SETS else [row.get(name)]
    return [""]


def _changed_by(row: Row) -> list[str]:
    """The matchers by which a packet behind a row may match what it did not match before."""
    if row.get("action") == "jump":
        return list(CHANGED)
    names = [name for name, new in CHANGED.items() if new and row.get(new)]
    if row.get("address-list"):
        names += LISTS
    return names


def _repeated(rows: list[Row]) -> Iterator[int]:
    known: set[tuple[tuple[str, str], ...]] = set()
    for row in rows:
        if _counts(row) or not _matchers(row):
            continue
        names = [name for name in sorted(row.names) if name not in NO_DIFFERENCE]
        key = tuple([(name, row.get(name)) for name in names])
        if key in known:
            yield id(row)
        known.add(key)


def _counts(row: Row) -> bool:
    return any(row.get(name) for name in COUNTING)


def _takes(rule: Row, ways: dict[str, _Way]) -> bool:
    """Return True if a packet that a rule matches does not come to the next rule of the chain."""
    if rule.get("action") == "jump":
        target = rule.get("jump-target")
        return target in ways and ways[target].closed
    return rule.get("action") == "return" or ends(rule)


def _matchers(row: Row) -> list[str]:
    return [name for name in row.names if name not in NO_MATCHERS and row.get(name)]


def _covers(
    net: Network, rule: Row, matchers: tuple[str, ...], row: Row, ways: dict[str, _Way]
) -> bool:
    """Return True if a rule leaves nothing to do for a later one; it does not match all packets."""
    # Asked of each pair of a long list, of which hardly one gets past its first matcher.
    for name in matchers:
        if not _implied(net, name, rule.get(name), row):
            return False
    if row.get("action") == FASTTRACK:
        takes = rule.get("action") == FASTTRACK  # of others in front of it, the verdict says so
    else:
        takes = _takes(rule, ways)
    return takes and not _same(rule, row)  # of the same rule, `rule-repeated` says so


def _same(rule: Row, row: Row) -> bool:
    names = _matchers(rule) + _matchers(row) + ["action"]
    return all(rule.get(name) == row.get(name) for name in names)


def _may_imply(name: str, row: Row) -> bool:
    """Return False if a rule says nothing that could imply a matcher, whatever its value."""
    return bool(row.get(name)) or name == "ipsec-policy" or name.endswith(OF_LIST)


def _implied(net: Network, name: str, value: str, row: Row) -> bool:
    """Return True if all packets that a rule matches have what another one asks for."""
    own = row.get(name)
    if own == value:
        return True
    if name == "ipsec-policy" and value.endswith(",none"):
        return not net.has_ipsec and not own
    if name.endswith(OF_LIST) and value in net.lists:
        plain = row.get(name[:-5])
        settled = value not in net.open_lists and value not in net.dynamic_lists
        return settled and plain in net.lists[value]
    if not own or "!" in own or "!" in value:
        return False
    if name in SETS:
        wanted = value.split(",")
        return all(one in wanted for one in own.split(","))
    inner, outer = (bounds_of(own), bounds_of(value)) if name in NETWORKS else (None, None)
    return inner is not None and outer is not None and within(inner, outer)


def marked_again(net: Network, *, shared: bool) -> Iterator[Row]:
    """The rules that mark forwarded connections by what all of their packets have in common.

    `shared`: those that share connections out by CLASSIFIER, or the others.
    """
    for menu in MANGLE:
        for row in net.rows.where(menu, "action", "mark-connection"):
            own = row.get("chain") in ("input", "output") or row.says(CLASSIFIER) != shared
            if not own and all(name in OF_ALL_PACKETS for name in _matchers(row)):
                yield row


def queues_of_ports(net: Network) -> Iterator[tuple[Row, str]]:
    """The simple queues for a port of a bridge, whose routed packets come and go by the bridge.

    Each with the word that names it.
    """
    bridges = [row.name for row in net.rows.of("/interface/bridge")]
    for row in net.rows.of("/queue/simple"):
        for name in ("dst", "target"):
            if any(net.bridge_of.get(text) in bridges for text in row.get(name).split(",")):
                yield row, name


def misled(net: Network) -> list[tuple[Row, str]]:
    """The rules that give a share of connections a second routing mark, with the share without one.

    A copied rule whose connection mark nobody changed: only where one share and one rule are left.
    """
    shares = _unrouted(net)
    twice: list[Row] = []
    tables: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for row in _routing(net):
        own, to = sorted([(name, row.get(name)) for name in _matchers(row)]), row.get(TO_TABLE)
        before = tables.setdefault(tuple(own), [])
        twice += [row for table in before if table != to and row.get(MARK)]
        before.append(to)
    return [(twice[0], shares[0].get(MARKS))] if len(twice) == len(shares) == 1 else []


def of_answers_alone(net: Network) -> list[Row]:
    """The rules that share connections out whose marks give a routing mark in output alone."""
    rows = net.rows.where(MANGLE[0], "action", "mark-routing")
    read = {row.get(MARK) for row in rows if row.get("chain") == "output"}
    return [row for row in net.rows.where(MANGLE[0], "action", "mark-connection")
            if row.says(CLASSIFIER) and row.get(MARKS) in read and not _routing(net)]  # fmt: skip


def answering(net: Network) -> list[tuple[Row, str]]:
    """The rules of output that send a mark's answers by another mark's line, each with its table.

    Both by the rules of prerouting; a copied rule whose table nobody changed, as no rule of output
    leads to its own.
    """
    tables: dict[str, list[str]] = {}
    for row in _routing(net):
        tables.setdefault(row.get(MARK), []).append(row.get(TO_TABLE))
    outs = [row for row in net.rows.where(MANGLE[0], "action", "mark-routing")
            if row.get("chain") == "output" and _matchers(row) == [MARK]]  # fmt: skip
    given = [row.get(TO_TABLE) for row in outs]
    every: list[tuple[Row, str]] = []
    for row in outs:
        own = unique(tables.get(row.get(MARK), []))
        others = [mark for mark in tables if mark != row.get(MARK) and mark[:1] != "!"
                  and row.get(TO_TABLE) in tables[mark]]  # fmt: skip
        if len(own) == 1 and own[0] not in given and others:
            every.append((row, own[0]))
    return every


def _routing(net: Network) -> list[Row]:
    """The rules that give forwarded packets a routing mark."""
    rows = net.rows.where(MANGLE[0], "action", "mark-routing")
    return [row for row in rows if row.get("chain") != "output"]


def _unrouted(net: Network) -> list[Row]:
    """The rules that share connections out whose mark no rule reads, though it reads the others."""
    read = [row.get(MARK) for row in _routing(net)]
    if any(mark == "" or mark[0] == "!" for mark in read):
        return []
    rows = [row for row in net.rows.where(MANGLE[0], "action", "mark-connection")
            if row.says(CLASSIFIER)]  # fmt: skip
    unread = [row for row in rows if row.get(MARKS) not in read]
    return unread if len(unread) < len(rows) else []


def _not_of_router(net: Network) -> Iterator[Row]:
    """The rules of prerouting that mark by the destination alone, and have no like in output."""
    idle = list(nowhere(net))
    rows = [row for row in net.rows.where(MANGLE[0], "action", "mark-routing") if row not in idle]
    own = {row.get("new-routing-mark") for row in rows if row.get("chain") == "output"}
    for row in rows:
        alone = bool(_matchers(row)) and all(name in TO for name in _matchers(row))
        if row.get("chain") == "prerouting" and alone and row.get("new-routing-mark") not in own:
            yield row


def _answers_unmarked(net: Network) -> Iterator[Row]:
    """The rules of prerouting for a connection mark that only connections to the router have.

    What the router answers passes output, where no rule gives it a routing mark.
    """
    rows = net.rows.of(MANGLE[0])
    setting = [row for row in rows if row.get(MARKS)]
    routing = [row for row in rows if row.get("action") == "mark-routing"]
    own = [row.get("connection-mark") for row in routing if row.get("chain") == "output"]
    for row in routing:
        mark = row.get("connection-mark")
        chains = [one.get("chain") for one in setting if one.get(MARKS) == mark]
        alone = _matchers(row) == ["connection-mark"] and row.get("chain") == "prerouting"
        if alone and mark not in own and chains and all(chain == "input" for chain in chains):
            yield row


def _searching_for_nothing(net: Network) -> list[Row]:
    """The Layer 7 rules that only fill an address list which no rule reads."""
    filling = [row for menu in MANGLE + FILTERS for action in FILLS
               for row in net.rows.where(menu, "action", action)
               if row.get("layer7-protocol")]  # fmt: skip
    read: set[str] = set()
    for path in net.rows.menus if filling else ():
        for row in net.rows.of(path):
            read.update([row.get(name).lstrip("!") for name in LISTS if row.get(name)])
    return [row for row in filling if row.get("address-list") not in read]


def _tables(menu: Menu) -> set[str]:
    """The routing tables that a menu's rows name; a DHCP client's with distances: `main:1,a:2`."""
    names = [name for name in NAMES_TABLE if name in menu.named()]
    values = [row.get(name) for row in menu.on() for name in names]
    return {table.partition(":")[0] for value in values if value for table in value.split(",")}


def nowhere(net: Network) -> Iterator[Row]:
    """The rules of mangle whose mark nothing else names, so that no route is in its table."""
    marking = [row for menu in MANGLE for row in net.rows.where(menu, "action", "mark-routing")]
    if not marking or not net.rows.of("/ip/route") or scripts.may_change(net.rows, "ip route"):
        return  # a part of an export shows no routes, and a script may add one
    named = {"", "main"}
    for menu in ("/ip/vrf", "/ip/route/vrf"):
        named.update([row.name for row in net.rows.of(menu)])
    for path, rows in net.rows.menus.items():
        if path not in MANGLE and path != "/routing/table" and path[-13:] != "/address-list":
            named.update(rows.once("tables", _tables))
    for row in marking:
        if row.get(TO_TABLE) not in named:
            yield row
