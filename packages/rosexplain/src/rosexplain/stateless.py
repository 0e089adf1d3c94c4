"""Connections' states: tracked where nothing asks for them, or not asked for where they matter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rosexplain import logs, matching, neighbours, scripts, secrets
from rosexplain.addresses import range_of
from rosexplain.firewall import led_to, marking, walk
from rosexplain.matchers import conditions
from rosexplain.matching import Met
from rosexplain.network import FASTTRACK, FILTER, REFUSES, Network
from rosexplain.ordered import unique
from rosexplain.packet import Packet
from rosexplain.parse import Command
from rosexplain.rows import Row
from rosexplain.selection import is_number

MANGLE, NAT, RAW = "/ip/firewall/mangle", "/ip/firewall/nat", "/ip/firewall/raw"
TABLES = ("/filter", "/mangle", "/raw")
OF_STATES = ("connection-", "per-connection-", "layer7-protocol", "p2p", "new-connection-mark")
"""How the matchers begin that read a connection's entry."""
ACTIONS = (FASTTRACK, "mark-connection", "tarpit", "notrack")
NEEDING = ("/ip/hotspot", "/ip/vrf", "/ip/route/vrf", "/ip/kid-control", "/ip/ipsec/policy",
           "/ip/ipsec/identity", NAT, "/ipv6/firewall/nat")  # fmt: skip
"""Menus of what translates addresses, or may read a connection's entry."""
TRANSLATING = (("/ip/upnp", "enabled"), ("/ip/nat-pmp", "enabled"))


SEARCHES = "layer7-protocol"
BEGINNING = 20000
"""Bytes by which a Layer 7 rule has seen all that it looks at: 10 full packets (fact
layer7-first-packets)."""


def after_layer7(net: Network) -> list[str]:
    """The matcher by which FastTrack leaves Layer 7 rules the beginning of each connection.

    None where no rule of the chain forward refuses by Layer 7.
    """
    rows = net.rows.saying(FILTER, SEARCHES)
    rows = [row for row in rows if row.get("chain") == "forward" and row.get("action") in REFUSES]
    return ["connection-bytes=" + str(BEGINNING) + "-0"] if rows else []


ENDS = ("src-address", "dst-address")


SIDES = (("in-interface", "out-interface"), ENDS)
"""The matchers of where a packet comes from and where it goes."""
OF_PORTS = ("chain", "action", "comment", "disabled", "log", "log-prefix", "reject-with") + (
    SIDES[0] + ENDS)  # fmt: skip
"""What a rule may say that refuses all packets from one port or network to another."""


def beside_pairs(net: Network) -> list[str]:
    """The matchers by which FastTrack leaves out a port or network that is refused to others.

    Fast-tracked answers would pass such a rule, and running connections outlive it.  None where
    there are several, or where a rule before accepts what is established.
    """
    found: list[tuple[tuple[str, str], str]] = []
    for row in net.rows.where(FILTER, "chain", "forward"):
        names = [name for name in row.names if row.get(name)]
        if row.get("action") not in REFUSES or any(name not in OF_PORTS for name in names):
            continue
        ends = [name for side in SIDES for name in side if row.get(name)]
        sources = [side for side in SIDES if row.get(side[0])]
        if len(ends) < 2 or len(sources) != 1 or any("!" in row.get(name) for name in ends):
            continue
        packet = Packet("established")
        packet.ins = [row.get(SIDES[0][0])] if row.get(SIDES[0][0]) else None
        packet.outs = [row.get(SIDES[0][1])] if row.get(SIDES[0][1]) else None
        bounds = [range_of(row.get(name)) for name in ENDS]
        packet.src, packet.dst = [[one] if one is not None else None for one in bounds]
        value = row.get(sources[0][0])
        if sources[0] == SIDES[0]:  # rather guests than the LAN
            both = [row.get(name) for name in SIDES[0]]
            value = next((one for one in both if one and one not in net.wan + net.inside), value)
        if value not in net.wan and any(
            step.row is row for step in walk(net, packet, "filter", "forward").steps
        ):
            found.append((sources[0], value))
    if len(unique(found)) != 1:
        return []
    return [name + "=!" + found[0][1] for name in found[0][0]]


def beside_drops(net: Network, first: Row | None) -> list[str]:
    """The matchers by which FastTrack's rule before `first` leaves out the host of a rule behind.

    Of a rule that refuses each packet from or to one host, not only the first of a connection; none
    where there are several such hosts, or a rule before accepts what is established of this one.
    """
    rows = net.rows.of(FILTER)
    behind = rows[rows.index(first) :] if first is not None and first in rows else []
    hosts: list[str] = []
    for row in behind:
        if row.get("action") not in REFUSES or row.get("chain") != "forward":
            continue
        names = [name for name in ENDS if row.get(name) and row.get(name)[0] != "!"]
        if len(names) != 1:
            continue
        bounds = range_of(row.get(names[0]))
        if _reads_states(row) or row.get(SEARCHES) or bounds is None:
            continue
        packet = Packet("established")
        packet.src = [bounds] if names[0] == ENDS[0] else None
        packet.dst = [bounds] if names[0] == ENDS[1] else None
        if any(step.row is row for step in walk(net, packet, "filter", "forward").steps):
            hosts.append(row.get(names[0]))
    one = unique(hosts)
    return [name + "=!" + one[0] for name in ENDS] if len(one) == 1 else []


def takes_late(row: Row) -> bool:
    """Return True if a rule takes connections only after their beginning."""
    first, _, last = row.get("connection-bytes").partition("-")
    return is_number(first) and int(first) >= BEGINNING and last == "0"


def met(net: Network) -> list[Met]:
    """The rules about states that hold, each with its lines."""
    unread = _tracked_for_nothing(net)
    few = [row.first for row in tracked_for_few(net)]
    new = [row.first for row in _marking_new(net)]
    mss = net.rows.where(MANGLE, "action", "change-mss")
    unanswered = [row.first for row, _ in _unanswered(net)]
    # What the rules before that one guard stays guarded.
    passed = [row.command("action") for row in logs.unaccepted(net)[:1]]
    return [(name, lines) for name, lines in
            (("tracked-for-nothing", unread), ("tracked-for-few", few),
             ("fasttrack-past-mss" if mss else "fasttrack-new", new),
             ("tracked-for-router", [row.first for row in _tracked_for_router(net)]),
            ("replies-dropped", unanswered),
             ("connections-counted-again", list(_counting_again(net))),
             (LATE, _late_for_running(net)),
             ("fasttracked-unaccepted", passed)) if lines]  # fmt: skip


LATE, MANY = "running-checked-late", 8
"""The rule of many rules that a packet of a running connection passes, and how many are that."""
OF_WAY = ("src-address", "dst-address", "in-interface", "out-interface", "in-interface-list",
          "out-interface-list", "protocol", "src-port", "dst-port", "connection-state")  # fmt: skip
"""Matchers that say the same of each packet of one connection and direction."""


def _late_for_running(net: Network) -> list[Command]:
    """The first of many rules of forward that packets of running connections pass one by one.

    None beside FastTrack, nor where a rule that refuses may mean such packets, as by a list, or
    where a script switches rules.
    """
    passed: list[Row] = []
    for row in net.rows.where(FILTER, "chain", "forward"):
        action = row.get("action", "accept")
        if logs.settles(row) and action == "accept":
            break
        if action not in REFUSES + ("accept", "log", "passthrough"):
            return []
        passed += [row] if passed or action not in ("log", "passthrough") else []
    plain = all(name in OF_WAY for row in passed if row.get("action") in REFUSES
                for name, _ in conditions(row))  # fmt: skip
    tracked = net.setting("/ip/firewall/connection/tracking", "enabled")[0] != "no"
    actions = [row.get("action") for row in passed]
    many = len(passed) >= MANY and any(action in REFUSES for action in actions)
    known = many and plain and tracked and net.wan and "log" not in actions
    known = known and not scripts.may_change(net.rows, scripts.FIREWALL)
    return [passed[0].command("action")] if known else []


COUNTS, LISTS = "connection-limit", "add-"
"""The matcher, and the beginning of the actions that put an address into a list."""


def _counting_again(net: Network) -> Iterator[Command]:
    """The rules that count a host's connections for each packet, not for the first ones alone.

    Those that refuse or list the host: a mark may be meant for each packet.
    """
    for top in ("/ip", "/ipv6"):
        for table in ("/mangle", "/filter"):
            settled: list[str] = []
            path = top + "/firewall" + table
            for row in net.rows.of(path) if net.rows.saying(path, COUNTS) else []:
                asked = row.get("chain") in logs.CHAINS + ("input",) and row.get(COUNTS)
                first = row.get("connection-state") or row.get(logs.FLAGS)
                action = row.get("action", "accept")
                catches = action in REFUSES or action.startswith(LISTS)
                if asked and catches and not first and row.get("chain") not in settled:
                    yield row.command(COUNTS)
                if logs.settles(row):
                    settled.append(row.get("chain"))


OF_PAIR = ("chain", "action", "comment", "disabled", "log", "log-prefix", "protocol",
           "dst-port") + ENDS  # fmt: skip
"""What a rule may say that accepts packets from some addresses to others, by their ports."""


def _unanswered(net: Network) -> list[tuple[Row, Row]]:
    """The rules of forward that accept packets one way, whose replies are sure to be dropped.

    Each with the first of the two: itself, or the rule that drops them.
    """
    every = net.rows.of(FILTER)
    rows: list[tuple[Row, Row]] = []
    for row in net.rows.where(FILTER, "chain", "forward"):
        if row.get("action") != "accept" or any(name not in OF_PAIR for name in row.names):
            continue
        ends = [range_of(row.get(name)) for name in ENDS]
        if ends[0] is None or ends[1] is None:
            continue
        first = Packet("new")
        first.src, first.dst, first.ipsec = [ends[0]], [ends[1]], False
        port = row.get("dst-port")
        if port and not is_number(port):
            continue
        first.protocols = [row.get("protocol")] if row.get("protocol") else first.protocols
        first.dst_port = int(port) if port else None
        reply = first.back()
        reply.state = "established"
        way, back = marking(net, first), marking(net, reply)
        passes = way.dropped is None and any(step.row is row for step in way.steps)
        if passes and back.dropped is not None and back.dropped.row in every:
            rows.append((row, every[min(every.index(row), every.index(back.dropped.row))]))
    return rows


def before_drop(net: Network, row: Row) -> Row:
    """The rule before which the replies to what such a rule accepts have to be accepted."""
    return next(first for one, first in _unanswered(net) if one is row)


def answering(net: Network, row: Row) -> str:
    """The matchers of the replies to what such a rule accepts."""
    values = [row.get(name) for name in ENDS]
    shown = all(secrets.shows(FILTER, ENDS[0], value) for value in values)
    words = [name + "=" + value for name, value in zip(ENDS, values[::-1], strict=True)]
    for name, reply in (("protocol", "protocol"), ("dst-port", "src-port")):
        if row.get(name):
            words.append(reply + "=" + row.get(name))
            shown = shown and secrets.shows(FILTER, name, row.get(name))
    return " ".join(words) if shown else ""


def tracked_for_few(net: Network) -> list[Row]:
    """The destination NAT rules for which alone a transit router tracks all connections.

    None where a rule of raw accepts packets: a notrack rule behind it does not come to them.
    """
    rules = net.rows.of(NAT)
    if any(row.get("action", "accept") == "accept" for row in net.rows.of(RAW)):
        return []
    others = [menu for menu in NEEDING if menu != NAT]
    if not _forwarded(rules) or not _tracks(net) or _needed(net, others) or _states_read(net):
        return []
    return rules


ENDED = ("established", "related", "invalid", "untracked")
"""States of packets to the router that a rule may ask for, where those that cross it have none."""


def _tracked_for_router(net: Network) -> list[Row]:
    """The rules about packets from or to a transit router for which alone it tracks all others.

    None where a rule of raw accepts packets, as for `tracked_for_few`, nor behind one neighbour:
    there FastTrack sees both directions.
    """
    rows = [row for table in TABLES for row in net.rows.of("/ip/firewall" + table)]
    reading = [row for row in rows if _reads_states(row)]
    if any(row.menu.path == RAW and row.get("action", "accept") == "accept" for row in rows):
        return []
    own = all(row.menu.path == FILTER and row.get("chain") in ("input", "output")
              and all(state in ENDED for state in row.get("connection-state").split(","))
              for row in reading)  # fmt: skip
    own = own and _tracks(net) and not _needed(net, NEEDING) and not neighbours.only_one(net)
    return reading if own else []


def tracking_few(net: Network) -> list[str]:
    """The commands that track the hosts of destination NAT, and no others."""
    rules = tracked_for_few(net)
    ends = [("dst-address", "dst-address"), ("src-address", "to-addresses")]
    hosts = unique([word + "=" + row.get(name) for word, name in ends for row in rules])
    add = RAW + "/add chain=prerouting action="
    return [add + "accept " + host for host in hosts] + [add + "notrack"] if rules else []


def _forwarded(rules: list[Row]) -> bool:
    """Return True if each rule of NAT leads one address to one host: raw rules know both."""
    return bool(rules) and all(
        row.get("chain") == "dstnat" and row.get("action") == "dst-nat"
        and len(_hosts(row.get("dst-address"))) == len(_hosts(row.get("to-addresses"))) == 1
        for row in rules
    )  # fmt: skip


def _hosts(text: str) -> list[str]:
    """An address alone; none of a network or a range."""
    whole = range_of(text)
    return [text] if whole is not None and whole[0] == whole[1] else []


def _tracked_for_nothing(net: Network) -> list[Command]:
    """The rules for which a transit router tracks connections, if none of them reads a state."""
    if not _tracks(net) or _needed(net, NEEDING) or _states_read(net):
        return []
    return [row.first for menu in (FILTER, MANGLE) for row in net.rows.of(menu)]


def _tracks(net: Network) -> bool:
    """Return True if the CPU of a transit router may track what it routes."""
    if net.missing:
        return False  # nobody knows what the rest asks for
    switches = net.rows.of("/interface/ethernet/switch")
    if not routes(net) or "yes" in [row.get("l3-hw-offloading") for row in switches]:
        return False  # where the chip routes, few packets come to the CPU
    ends = unique([row.get("interface") for row in net.rows.of("/ip/address")] + net.wan)
    if len(ends) == 1 and net.above(ends[0]) in net.port_rows:
        return False  # its hosts reach each other past the router
    return net.setting("/ip/firewall/connection/tracking", "enabled")[0] != "no"


def _needed(net: Network, menus: Iterable[str]) -> bool:
    """Return True if something beside the firewall's rules needs connections tracked.

    A script may switch rules on that do.
    """
    if scripts.may_change(net.rows, scripts.FIREWALL):
        return True
    if any(row.get("template") != "yes" for menu in menus for row in net.rows.of(menu)):
        return True
    return any(net.setting(menu, name)[0] == "yes" for menu, name in TRANSLATING)


def _states_read(net: Network) -> bool:
    """Return True if a rule of the firewall reads a connection's state."""
    return any(_reads_states(row) for top in ("/ip", "/ipv6") for table in TABLES
               for row in net.rows.of(top + "/firewall" + table))  # fmt: skip


def routes(net: Network) -> bool:
    """Return True if the router speaks BGP or OSPF, by the rule `transit`."""
    return bool(matching.lines_that_meet([net.rules.by_id["transit"]], net.rows))


def _reads_states(row: Row) -> bool:
    """Return True if a rule needs the entry of a packet's connection."""
    if row.get("action", "accept") in ACTIONS:
        return True
    names = [name for name in row.names if row.get(name)]
    return any(name.startswith(start) for name in names for start in OF_STATES)


def _marking_new(net: Network) -> list[Row]:
    """FastTrack's rules for connections in any state, before rules that refuse some.

    Where the MSS is changed, all of them: the answer to the first packet has one too.
    """
    if not net.rows.where(FILTER, "action", FASTTRACK):
        return []
    chains = led_to(net, 4, "filter", "forward")
    rows = [row for row in net.rows.of(FILTER) if row.get("chain") in chains]
    last = max([number for number, row in enumerate(rows) if row.get("action") in REFUSES] or [-1])
    last = len(rows) if net.rows.where(MANGLE, "action", "change-mss") else last
    return [row for row in rows[: last + 1]
            if row.get("action") == FASTTRACK and not row.get("connection-state")]  # fmt: skip
