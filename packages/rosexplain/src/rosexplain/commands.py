"""The commands of a rule's remedy for one export: its rows, its rules and their places.

A template of the rule base is about each `{row}` that meets the rule, in its `{menu}` or in the one
menu that it names; about the `{name}` of each; about each `{fasttrack}` rule; about each empty
`{list}` that the rows name; or adds one `{before}` the first rule that ends a forwarded packet's
way, which is `{first}`, or `{ahead}` of FastTrack's. Of a row, `{above}` is the bridge of its
interface, `{apart}` the ports that its horizon lets its `{port}` forward to, `{fits}` the MTU that
fits, `{own}` a peer's own addresses, `{others}` the DNS servers beside the router that a network is
told, `{gigabit}` what it advertises and 1 Gbit/s, `{number}` the VLAN of its VLAN interface or that
has it untagged, `{members}` a VLAN's tagged members and the trunks that are missing, `{output}` its
own words for a copy in that chain, `{table}` the table of its routing mark with the gateway of the
line that the mark is for, `{aside}` the matchers of packets that stay in their network, `{home}`
the interface with the network of its pool, `{wide}` its address as /24 and the network of that,
`{channel}` a radio's band and width, `{wider}` its channel's width of 80 MHz, `{listing}` its
bridge and the list of its ports, `{newest}` the newest band of its model, `{usual}` what a type of
queue has by default, and `{untranslated}` the matchers of packets that leave with private
addresses; `{gateway}` is the router in front, `{into}` the
bridge of a CAPsMAN's datapath where its own CAP has none, `{chip}` what gives a port to the chip,
`{forwarding}` what lets access points bridge where they have one bridge for all, and `{share}` the
mark of the connections that get no routing mark; `{profile}` is what gives a provisioning rule its
configuration, and `{profiles}` what gives it to rules for the other bands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rosexplain import channels, cut_off, offload, queues, radios, secrets, stateless, wiring
from rosexplain.addresses import Range, apart, range_of, within
from rosexplain.firewall import TABLES, led_to, walk
from rosexplain.frames import frames_guarded
from rosexplain.gateways import base_of, in_front, widened
from rosexplain.interface_lists import named_by
from rosexplain.logs import settles
from rosexplain.matchers import NO, conditions
from rosexplain.network import (
    CAP,
    FASTTRACK,
    FILTER,
    NO_MARK,
    REFUSES,
    TOP,
    TUNNELS,
    Network,
    once,
)
from rosexplain.ordered import unique
from rosexplain.packet import Packet
from rosexplain.parse import Command, parsed
from rosexplain.rows import ADDED, BARE, Row, quoted
from rosexplain.selection import is_number
from rosexplain.traffic import (
    accepts_policy,
    keeps_policy,
    matched,
    only_jumps,
    other_tables,
)
from rosexplain.unused import CLASSIFIER, answering, matches_nothing, misled, of_answers_alone
from rosexplain.uplinks import ANYWHERE, gateways
from rosexplain.vrf import vrfs

TYPED = "typed"
"""The file that a remedy's commands are said to be of."""

MOST = 50
"""Rows that are named one by one; more are selected by what they have in common."""

KEYS = ("name", "interface", "default-name", "address", "dst-address", "layer7-protocol")
"""Words that tell a row from its neighbours, the plainest first, where they may be shown."""

OF_LISTS = {"/interface/list/member": ("list", "interface"),
            "/ip/firewall/address-list": ("list", "address"),
            "/ipv6/firewall/address-list": ("list", "address")}  # fmt: skip
"""Menus whose rows are told apart by two words."""

OF_ROUTES = (("gateway", "routing-table"), ("gateway", "routing-mark"), ("gateway",))
"""Words by which a route is told: RouterOS lists routes in its own order."""

KINDS = ("chain", "action")
"""Words of a firewall's rule: with them, its place among those alike."""

TOLD_BY = (
    "src-address", "dst-address", "in-interface", "out-interface", "in-interface-list",
    "out-interface-list", "src-address-list", "dst-address-list", "connection-mark",
    "new-connection-mark", "new-routing-mark", "new-packet-mark", "jump-target",
)  # fmt: skip
"""Words of a firewall's rule by which its owner knows it among those alike."""

MANGLE = "/ip/firewall/mangle"
NAT = "/ip/firewall/nat"
MEMBER = "/interface/list/member"
DATAPATH = "/caps-man/datapath"
SIMPLE = "/queue/simple"
LIMITED = (SIMPLE, "/ip/hotspot")
"""Menus that say whose packets FastTrack should leave alone."""
LEASES = "/ip/dhcp-server"
"""The menu of servers whose clients may get queues while the router runs."""
OF_CLIENTS = tuple(menu for menu, _ in queues.DYNAMIC_LIMITS)
"""The menus whose rows make queues for clients while the router runs."""
VLAN = "/interface/vlan"
BEFORE = "place-before={"
ROW_BY_ROW = ("{port}", "{output}", "{name}", "{profile}", "{profiles}")
GIGABIT = {True: ",1G-baseT-full", False: ",1000M-full"}
"""The mode of 1 Gbit/s beside modes as RouterOS writes them from 7.12 on, and before."""


def commands(
    net: Network, rule: dict[str, Any], lines: list[Command], packet: Packet | None, family: int
) -> list[str]:
    """Return the commands to type: `lines` meet the rule, `packet` should become faster."""
    texts: list[str] = []
    for template in rule["remedy"]:
        for text in _filled(net, rule, template, lines, packet, family):
            if text not in texts:
                texts.append(text)
    return texts


def marked_directly(net: Network) -> list[Row]:
    """The rules that give a routing mark to packets whose connection need not have a mark.

    FastTrack cannot leave such connections out by connection-mark=no-mark. A rule of an interface
    that is gone marks nothing, and no command may name it.
    """
    chains = led_to(net, 4, "mangle", "prerouting")
    rows = [row for row in routed_by_mark(net) if not matches_nothing(row)]
    rows = [row for row in rows if row.get("connection-mark", NO_MARK) == NO_MARK]
    rows = [row for row in rows if row.get("protocol", "!")[0] == "!"
            or row.get("protocol") in FASTTRACKED]  # fmt: skip
    return [row for row in rows if not _jumped_with_mark(chains, row.get("chain", "prerouting"))]


def routed_by_mark(net: Network) -> list[Row]:
    """The rules that give a routing mark to what comes in, and not only to the router's answers."""
    chains = led_to(net, 4, "mangle", "prerouting")
    return [row for row in net.rows.of(MANGLE) if row.get("action") in ("mark-routing", "route")
            and row.get("chain", "prerouting") in chains]  # fmt: skip


def looked_up(net: Network) -> list[Row]:
    """The routing rules that send forwarded IPv4 packets to another table than main."""
    return [row for row in other_tables(net)
            if ":" not in row.get("src-address") + row.get("dst-address")]  # fmt: skip


def _jumped_with_mark(chains: dict[str, list[Row]], chain: str) -> bool:
    """Return True if only packets of marked connections are led to a chain."""
    jumps = chains[chain]
    return bool(jumps) and all(row.get("connection-mark", NO_MARK) != NO_MARK for row in jumps)


TURNED = {"src-address": "dst-address", "dst-address": "src-address",
          "src-address-list": "dst-address-list", "dst-address-list": "src-address-list",
          "in-interface": "out-interface", "out-interface": "in-interface",
          "in-interface-list": "out-interface-list",
          "out-interface-list": "in-interface-list"}  # fmt: skip
"""Matchers of a packet's ends, each with that of the packet that answers it."""
OF_PORTS = {"protocol": "protocol", "dst-port": "src-port"}
"""The same of its protocol and port."""
OF_ENDS = tuple(sorted(TURNED)) + ("interface",)
PORTS = tuple(sorted(OF_PORTS))
EVERYWHERE = (ANYWHERE, "all")
"""Values of a matcher that all packets match."""
OF_ROUTING_RULE = {"interface": "in-interface"}
"""Words of a routing rule that the firewall calls otherwise."""
OF_HOSTS = ("action", "chain", "comment", "disabled", "passthrough", "new-routing-mark", "protocol",
            "jump-target", "log", "log-prefix",
            "src-address", "dst-address", "src-address-list", "dst-address-list",
            "in-interface", "in-interface-list", "interface", "table", "min-prefix",
            "connection-mark", "connection-state", "new-ttl", "new-dscp", "new-priority",
            "sniff-target", "sniff-target-port", "sniff-id", "out-interface",
            "out-interface-list")  # fmt: skip
"""Words of a rule that sends some hosts' packets to another table, or changes or copies each."""
MOST_HOSTS = 3
FEWEST_AT_ONCE = 3
"""Rows from which on one command takes back what one command did to all of them."""


def _ends_of(net: Network, row: Row) -> list[tuple[str, str]] | None:
    """The ends that a rule names, each with its matcher; None: it is about more than hosts."""
    of = [row] + (only_jumps(net, row) if row.menu.path == MANGLE else [])
    if [name for one in of for name in one.names if name not in OF_HOSTS]:
        return None
    return [(name, matched(of, name)) for name in OF_ENDS if matched(of, name)]


def _telling(net: Network, row: Row) -> list[tuple[str, str]]:
    """The matchers of a rule by which all of its packets are told, and perhaps others.

    `dst-address=!10.0.0.0/8 in-interface=guests` is told by `in-interface=guests`: what a rule
    leaves out may be kept out of FastTrack too.  Empty where that would be almost all packets.
    """
    of = [row] + (only_jumps(net, row) if row.menu.path == MANGLE else [])
    names = [name for name in OF_ENDS + (() if _translates_inside(net) else PORTS)
             if matched(of, name) not in ("",) + EVERYWHERE]  # fmt: skip
    names = [name for name in names if matched(of, name)[0] != "!"]
    words = [(OF_ROUTING_RULE.get(name, name), matched(of, name)) for name in names]
    kinds = [name for name, _ in words]
    if "protocol" not in kinds or len(kinds) == 1:  # a port is one of a protocol
        words = [(name, value) for name, value in words if name not in OF_PORTS]
    return words


def _translates_inside(net: Network) -> bool:
    """Return True if a rule of dstnat may give packets of the LAN other ports.

    Mangle's prerouting sees the ports before it, and forward those behind it.
    """
    for row in net.rows.where(NAT, "chain", "dstnat"):
        named, listed = row.get("in-interface"), row.get("in-interface-list")
        outside = [named] if named else net.lists.get(listed, [""])
        own = row.get("dst-address") or row.get("dst-address-type")
        known = own or all(name in net.wan for name in outside)
        if row.get("action") in ("dst-nat", "netmap") and not known:
            return True
    return False


def accepting_marked(net: Network, rules: list[Row], packet: Packet | None) -> list[str]:
    """The rules that keep some hosts' connections out of FastTrack, in both directions.

    None where a rule is about more than hosts by their addresses, interfaces or ports.
    """
    every = unique([_telling(net, row) for row in rules], str)
    if len(every) > MOST_HOSTS or not all(words and _shown(words) for words in every):
        return []
    return _accepting(net, every, packet)


def keeping_out(net: Network, rules: list[Row], packet: Packet | None) -> list[str]:
    """The commands that keep some hosts' connections out of the FastTrack rule that is there.

    Matchers of its own where each host needs another one, otherwise accept rules before it.
    """
    fasttracks = net.rows.where(FILTER, "action", FASTTRACK)
    words: list[tuple[str, str]] = []
    for row in rules:
        ends = _telling(net, row)
        words += ends[:1]
        if len(ends) != 1:
            return accepting_marked(net, rules, packet)
    words = unique(words)
    matchers = [name for word, _ in words for name in (word, TURNED[word])]
    one = len(fasttracks) == 1 and len(unique(matchers)) == len(matchers)
    if not one or any(fasttracks[0].says(name) for name in matchers) or not _shown(words):
        return accepting_marked(net, rules, packet)
    return [
        FILTER + "/set " + selector(fasttracks[0]) + "".join(
            [" " + name + "=" + _other_than(value)
             for word, value in words for name in (word, TURNED[word])]
        )
    ]  # fmt: skip


def accepting_vrfs(net: Network, packet: Packet | None) -> list[str]:
    """The rules that keep VRFs' packets out of FastTrack, which routes by the table main.

    None where their networks are not known, or where the WAN itself is in a VRF.
    """
    every = vrfs(net)
    outs = packet.outs or [] if packet is not None else []
    if [one for one in every if one.networks is None or any(name in outs for name in one.names)]:
        return []
    words = [("src-address", text) for one in every for text in one.networks or []]
    if len(words) > MOST_HOSTS or not outs or not _shown(words):
        return []
    return _accepting(net, [[word] for word in words], packet)


PRIORITIES = ("set-priority", "change-dscp")


def accepting_changed(
    net: Network, lines: list[Command], packet: Packet | None, every: list[str]
) -> list[str]:
    """The commands by which mangle changes or copies each packet again; `every`: without FastTrack.

    None where a rule is about some protocol, or gives priorities to all that leaves by the WAN: a
    priority of everything's is not worth FastTrack.
    """
    rules = rows_of(net, lines)
    outs = packet.outs or [] if packet is not None else []
    for row in rules:
        ends = _ends_of(net, row)
        if ends is None:
            return []
        names = [name for _, value in ends for name in net.lists.get(value, [value])]
        if row.get("action") in PRIORITIES and (not ends or all(name in names for name in outs)):
            return []
        if not ends:
            return every
    return keeping_out(net, rules, packet)


def limiting(net: Network) -> list[Row]:
    """The rows of LIMITED, the queues that a script switches on, and DHCP servers with queues.

    Those are made by a script of the server or by RADIUS.
    """
    making = [row for row, _ in queues.scripted(net.rows) if row.menu.path == LEASES]
    leasing = [row for row in net.rows.of(LEASES)
               if row in making or row.get("use-radius") == "yes"]  # fmt: skip
    rows = [row for menu in LIMITED for row in net.rows.of(menu)]
    return rows + queues.switched(net.rows) + leasing


def accepting_limited(net: Network, lines: list[Command], packet: Packet | None) -> list[str]:
    """The rules that keep hosts of simple queues and hotspots out of FastTrack, both ways.

    None where `lines` has a queue of more than a few hosts, or of something else.
    """
    return _accepting(net, [[word] for word in _of_limited(net, lines, packet)], packet)


WHOLE_HOST = "/32"
SPARED = "not-fasttracked"
"""The list of the interfaces or hosts that FastTrack's rule leaves out."""
LISTED = {"in-interface": ("in-interface-list", "/interface/list/member", "interface"),
          "src-address": ("src-address-list", "/ip/firewall/address-list", "address")}  # fmt: skip
"""By the matcher of one: that of a list of them, and the menu and the word of its members."""


def sparing_limited(
    net: Network, lines: list[Command], packet: Packet | None
) -> tuple[list[str], list[str]]:
    """The matchers by which FastTrack's own rule leaves out limited hosts and interfaces.

    `["in-interface=!wlan1", "out-interface=!wlan1"]`; before them, the commands that make the
    lists of several. None where hosts are not known, or somebody else's list has that name.
    """
    words = _of_limited(net, lines, packet)
    texts: list[str] = []
    matchers: list[str] = []
    for name in unique([name for name, _ in words]):
        values = [value for other, value in words if other == name]
        matcher, value = name, values[0]
        if len(values) > 1:
            matcher, menu, member = LISTED[name]
            if any(SPARED in (row.name, row.get("list")) for row in net.rows.all_of(menu)):
                return [], []
            if name == "in-interface":
                texts.append("/interface/list/add name=" + SPARED)
            texts += [
                menu + "/add list=" + SPARED + " " + member + "=" + quoted(one) for one in values
            ]
            value = SPARED
        matchers += [one + "=" + _other_than(value) for one in (matcher, TURNED[matcher])]
    return texts, matchers


def sparing_by_rules(net: Network, lines: list[Command], packet: Packet | None) -> list[str]:
    """The command by which the FastTrack rules of forward leave out limited hosts themselves.

    None where a rule has a say about such hosts already.
    """
    listing, matchers = sparing_limited(net, lines, packet)
    names = [matcher.partition("=")[0] for matcher in matchers]
    rules = net.rows.where(FILTER, "action", FASTTRACK)
    kept = [row for row in rules if row.get("chain") != "forward" or any(map(row.says, names))]
    if not matchers or kept or net.rows.where(MANGLE, "action", FASTTRACK):
        return []
    rule = "[find where chain=forward action=" + FASTTRACK + " !dynamic]"
    return listing + [FILTER + "/set " + rule + " " + " ".join(matchers)]


SCOPE = "fasttracked"
"""The list of the interfaces between which FastTrack's rule takes connections."""
LISTS_OF_ENDS = ("in-interface-list", "out-interface-list")
MOST_ENDS = 6
OF_L2TP = "/interface/l2tp-server/server"


def between(
    net: Network, carried: list[Row], sparing: list[str]
) -> tuple[list[str], list[str], list[str]]:
    """The matchers of a FastTrack rule for what LAN and WAN exchange, and the commands before them.

    So what tunnels carry is not fast-tracked; a server's sessions are dynamic interfaces.
    None where the ends are many, or not known.  Last, what is left of `sparing`, the matchers that
    leave out interfaces: a list needs none of them.
    """
    if (not _off(net, FILTER) and all(row.menu.path == OF_L2TP for row in carried)
            and not net.rows.of("/interface/l2tp-server")):  # fmt: skip
        # A static name for a user makes its interface another one.
        return [], [name + "=!dynamic" for name in LISTS_OF_ENDS], sparing
    left_out = [matcher.partition("-interface=!")[2] for matcher in sparing]
    left_out = left_out if all(left_out) else []
    ends = [name for name in unique(net.inside + net.leased + net.wan) if name not in left_out]
    menu = "/interface/list"
    taken = any(row.name == SCOPE for row in net.rows.all_of(menu))
    shown = all(secrets.shows(MEMBER, "interface", name) for name in ends)
    if not net.wan or not net.inside or len(ends) > MOST_ENDS or taken or not shown:
        return [], [], sparing
    if _off(net, FILTER) or net.sessions or any(net.kinds.get(name) in TUNNELS for name in ends):
        return [], [], sparing
    texts = [menu + "/add name=" + SCOPE]
    texts += [MEMBER + "/add list=" + SCOPE + " interface=" + quoted(name) for name in ends]
    return texts, [name + "=" + SCOPE for name in LISTS_OF_ENDS], [] if left_out else sparing


def _other_than(value: str) -> str:
    """The matcher's value for all but one: `!wlan1`, `"!wlan 1"`."""
    return "!" + value if quoted(value) == value else quoted("!" + value)


def _of_limited(net: Network, lines: list[Command], packet: Packet | None) -> list[tuple[str, str]]:
    """The matchers of what hosts of simple queues and hotspots send; none as above."""
    words: list[tuple[str, str]] = []
    rows = [row for row in rows_of(net, lines) if row.get("action") != FASTTRACK]
    if [row for row in rows if row.menu.path not in LIMITED + OF_CLIENTS]:
        return []
    whole = [net.above(row.get("interface")) for row in rows if row.menu.path == LEASES]
    own = [range_of(row.get("address")) for row in net.rows.of("/ip/address")
           if net.above(row.get("interface")) in whole]  # fmt: skip
    targets = unique([target for row in rows for target in queues.clients_of(net.rows, row)])
    # A host behind an interface that is left out whole needs no matcher of its own.
    targets = [one for one in targets if not any(_has_host(network, one) for network in own)]
    if len(targets) > MOST_HOSTS:
        return []
    if [row for row in rows if row.get("dst") or row.get("packet-marks")]:
        return []
    networks = packet.src or [] if packet is not None else []
    inside = packet.ins or [] if packet is not None else []
    for target in targets:
        hosts = range_of(target)
        name = net.above(target) if hosts is None else ""
        if hosts is None and (name not in inside + list(net.kinds) or inside in ([], [name])):
            return []
        if hosts is not None and any(within(network, hosts) for network in networks):
            return []
        # RouterOS keeps one host's address without its /32, and finds it so.
        host = target[: -len(WHOLE_HOST)] if target[-len(WHOLE_HOST) :] == WHOLE_HOST else target
        word = ("in-interface", name) if name else ("src-address", host)
        if not _shown([word]):
            return []
        words.append(word)
    return words


def _has_host(network: Range | None, target: str) -> bool:
    """Return True if a queue's target is a host of a network, and no network of its own."""
    hosts = range_of(target)
    inside = hosts is not None and network is not None and within(hosts, network)
    return inside and hosts != network


def _shown(words: list[tuple[str, str]]) -> bool:
    """Return True if a command may show these matchers' values."""
    return all(secrets.shows(FILTER, name, value) for name, value in words)


ACCEPTING = FILTER + "/add chain=forward action=accept connection-state=established,related"


def _in_front_of(row: Row | None) -> list[str]:
    """The word that puts a new rule in front of another; none where there is no other."""
    return ["place-before=" + selector(row)] if row else []


def _accepting(
    net: Network, every: list[list[tuple[str, str]]], packet: Packet | None
) -> list[str]:
    """The rules that accept what is established and has these ends, before FastTrack's rule.

    Each names its place by the rules that are there once those before it are typed.
    """
    texts: list[str] = []
    for words in every:
        for turned in (False, True):
            turn = TURNED if turned else {}
            ends = [(turn.get(name, OF_PORTS.get(name, name) if turned else name), value)
                    for name, value in words]  # fmt: skip
            typed = parsed("\n".join(texts), TYPED).commands
            now = net.behind(typed, net.version) if typed else net
            first = _off(now, FILTER) or _before_fasttrack(now, packet)
            first = first or _first(now, packet, 4, FILTER)
            matchers = [name + "=" + quoted(value) for name, value in ends]
            texts.append(" ".join([ACCEPTING] + matchers + _in_front_of(first)))
    return texts


def covers_sources(rules: list[Row], packet: Packet | None) -> bool:
    """Return True if these rules name all networks, or interfaces, that such packets come from."""
    if packet is None:
        return False
    whole = [row for row in rules if not row.get("dst-address") + row.get("dst-address-list")]
    names = [row.get("in-interface") or row.get("interface") for row in whole]
    if packet.ins and all(name in names for name in packet.ins):
        return True
    named = [range_of(row.get("src-address")) for row in rules]
    networks = packet.src or []
    return bool(networks) and all(
        any(one is not None and within(network, one) for one in named) for network in networks
    )


def _before_fasttrack(net: Network, packet: Packet | None) -> Row | None:
    """The rule of the chain forward by which packets come to the first FastTrack rule."""
    for one in (packet, packet.back()) if packet is not None else ():
        for step in walk(net, one, "filter", "forward").steps:
            if step.action == FASTTRACK and step.verdict != NO:
                return step.top
    return None


OF_ALL = ("action", "chain", CLASSIFIER, "new-connection-mark", "passthrough", "comment",
          "disabled", "in-interface", "in-interface-list", "src-address", "src-address-list",
          "dst-address-type", "connection-mark", "connection-state", "log",
          "log-prefix")  # fmt: skip
"""Words of a rule that marks every new connection of an interface to the Internet."""


WHOLE = "all:1/0"
"""The share of a rule without CLASSIFIER."""
TO = ("dst-address", "dst-address-list")
"""Matchers that, inverted, leave out few: the networks of the router itself."""
FASTTRACKED = ("tcp", "udp")
"""The protocols whose connections are fast-tracked (manual, fasttrack-tcp-udp)."""


def marking_shares(net: Network) -> list[Row]:
    """The rules of `marking_every`, or those that share connections out and await such rules."""
    return marking_every(net) or of_answers_alone(net)


def marking_every(net: Network) -> list[Row]:
    """The rules that give every connection from the LAN a mark, in shares or at once; else none.

    FastTrack with connection-mark=no-mark would take none of them.
    """
    rows = net.rows.where(MANGLE, "action", "mark-connection")
    if not routed_by_mark(net):
        return []  # FastTrack asks for no mark then
    chains = led_to(net, 4, "mangle", "prerouting")
    translated = _marking_translated(net, rows)
    if translated:
        return translated
    shares: dict[tuple[str, str, str], list[Row]] = {}
    apiece: dict[str, Row] = {}  # the rules of a network each
    for row in rows:
        classifier = row.get(CLASSIFIER) or WHOLE
        if row.get("chain", "prerouting") not in chains or "/" not in classifier:
            continue
        names = [name for name in row.names if name not in OF_ALL and name != "protocol"]
        names = [name for name in names if name not in TO or row.get(name)[:1] != "!"]
        own = row.get("in-interface")
        of_all = classifier == WHOLE and not names and not row.get("protocol")
        if of_all and not row.get("in-interface-list") and _from_network(net, row, own):
            apiece.setdefault(own, row)
        if names or not _from_lan(net, row):
            continue
        whole = classifier.rpartition("/")[0]
        key = (whole, row.get("connection-state"), row.get("protocol"))
        shares.setdefault(key, []).append(row)
    complete: dict[str, list[Row]] = {}
    if all(name in apiece for name in _networked(net) or [""]):
        complete[""] = list(apiece.values())
    for key in sorted(shares):
        whole, _, protocol = key
        parts = [(row.get(CLASSIFIER) or WHOLE).rpartition("/")[2] for row in shares[key]]
        number = whole.rpartition(":")[2]
        if is_number(number) and all(str(part) in parts for part in range(int(number))):
            complete.setdefault(protocol, shares[key])
    every: list[Row] = []
    for protocol in FASTTRACKED:
        marking = _sharing(complete, protocol)
        if not marking:
            return []
        every += marking
    return [row for row in rows if row in every]


def _marking_translated(net: Network, rows: list[Row]) -> list[Row]:
    """The rules that mark every connection of dstnat, where these are all that is forwarded.

    So it is where nothing leads to the internet, and hosts are reached by addresses of the router.
    """
    leads = [row for row in net.rows.of("/ip/route")
             if row.get("dst-address", ANYWHERE) == ANYWHERE]  # fmt: skip
    if net.wan or leads or net.sessions:
        return []
    marking: list[Row] = []
    for forward in net.rows.where(NAT, "action", "dst-nat"):
        asked = conditions(forward)
        own = [row for row in rows if row.get("chain", "prerouting") == "prerouting"
               and conditions(row) and all(one in asked for one in conditions(row))]  # fmt: skip
        if not own:
            return []
        marking += own[:1]
    return unique(marking, id)


def _sharing(complete: dict[str, list[Row]], protocol: str) -> list[Row]:
    """The rules that share out all connections of a protocol; `complete`: by their `protocol`."""
    for asked in sorted(complete):
        if asked in ("", protocol) or (asked[0] == "!" and asked[1:] != protocol):
            return complete[asked]
    return []


def _from_lan(net: Network, row: Row) -> bool:
    """Return True if a rule is about every interface of the LAN, and all of its networks.

    Where some lease addresses, others are for few hosts, as a second router's.
    """
    named, listed = row.get("in-interface"), row.get("in-interface-list")
    if "!" in named + listed:
        return False
    inside = _networked(net)
    if not all(_from_network(net, row, name) for name in inside):
        return False
    if named:
        return inside == [named]
    return not listed or all(name in net.lists.get(listed, []) for name in inside)


def _networked(net: Network) -> list[str]:
    """The interfaces of the LAN, but for VRFs: those that lease addresses, else all."""
    apart = [name for one in vrfs(net) for name in one.names]
    every = [name for name in net.inside if name not in apart]
    return [name for name in every if name in net.served] or every


def _from_network(net: Network, row: Row, interface: str) -> bool:
    """Return True if a rule is about all addresses of an interface's networks."""
    source, listed = row.get("src-address"), row.get("src-address-list")
    if not source + listed:
        return True
    texts = [source] if source else []
    for one in net.rows.where("/ip/firewall/address-list", "list", listed) if listed else []:
        texts.append(one.get("address"))
    ranges = [one for one in map(range_of, texts) if one is not None]
    own = _ranges(net).get(interface, [])
    return all(one is not None and any(within(one, other) for other in ranges) for one in own)


@once
def _ranges(net: Network) -> dict[str, list[Range | None]]:
    """The networks of each interface; None of an address that cannot be read."""
    ranges: dict[str, list[Range | None]] = {}
    for row in net.rows.of("/ip/address"):
        name = net.above(row.get("interface"))
        ranges.setdefault(name, []).append(range_of(row.get("address")))
    return ranges


OF_EVERY_POLICY = ("chain", "action", "ipsec-policy", "connection-state", "comment", "log",
                   "log-prefix", "disabled")  # fmt: skip
"""What a rule may say and still match the packets of each IPsec policy."""


def accepting_ipsec(
    net: Network, way: str, packet: Packet | None, others: list[Packet] | None = None
) -> list[str]:
    """The rule that keeps what IPsec protects out of FastTrack; none where it is there.

    `others`: as `fasttracking` has them, whose rule stands behind it.
    One that asks for addresses too keeps some of it out, and the rest would be fast-tracked.
    """
    policy = way + ",ipsec"
    for row in net.rows.where(FILTER, "chain", "forward"):
        if row.get("ipsec-policy") == policy and _keeps_all(row):
            return []
    first = _off(net, FILTER) or _before_others(net, packet, 4, FILTER, others or [])
    return [" ".join([ACCEPTING, "ipsec-policy=" + policy] + _in_front_of(first))]


PASSED = ("accept", FASTTRACK, "log", "passthrough")
"""Actions of rules that a rule which accepts may come before without opening anything."""


def _keeps_all(row: Row) -> bool:
    """Return True if a rule accepts the packets of each IPsec policy, one way."""
    return keeps_policy(row) and all(name in OF_EVERY_POLICY for name in row.names)


def policies_ahead(net: Network, first: Row) -> list[str]:
    """The commands by which rules that accept what IPsec protects come before a rule of forward.

    FastTrack is put before that rule, and would take the packets of those behind it.  A rule
    that would pass by a refusal stays, and a new one accepts what is established.
    """
    rows = [row for row in net.rows.all_of(FILTER) if row.get("chain") == "forward"
            and (row.on or row is first)]  # fmt: skip
    at = rows.index(first) if first in rows else len(rows)
    behind = rows[at:]
    texts: list[str] = []
    added = [row.get("ipsec-policy") for row in rows[:at] if _keeps_all(row)]
    for place, row in enumerate(behind):
        policy = row.get("ipsec-policy")
        if row is first or row.first.file == TYPED or not keeps_policy(row):
            continue
        if policy in added or not (net.has_ipsec or accepts_policy(net, row)):
            continue
        before = selector(_behind(net, texts, first))
        passed = [one.get("action", "accept") for one in behind[:place]]
        if all(action in PASSED for action in passed):
            moved = selector(_behind(net, texts, row))
            texts.append(FILTER + "/move " + moved + " destination=" + before)
        else:
            added.append(policy)
            texts.append(ACCEPTING + " ipsec-policy=" + policy + " place-before=" + before)
    return texts


def _typed(net: Network, texts: list[str]) -> Network:
    """A router once commands are typed."""
    if not texts:
        return net
    return net.behind(parsed("\n".join(texts), TYPED).commands, net.version)


def _behind(net: Network, texts: list[str], row: Row) -> Row:
    """A row of the export as it is once commands are typed."""
    rows = _typed(net, texts).rows.all_of(row.menu.path)
    return next(one for one in rows if one.first is row.first) if texts else row


def fasttracking(
    net: Network,
    template: str,
    packet: Packet | None,
    family: int,
    sparing: list[str] | None = None,
    others: list[Packet] | None = None,
) -> list[str]:
    """FastTrack: the rule that is there but disabled, or a new one before the first accept.

    `sparing`: the matchers of a new one beside those of the template; `others`: the packets of
    other classes, whose accept rules it stands before too where that spares no packet a refusal.
    """
    menu = TOP[family] + "/firewall/filter"
    marks = routed_by_mark(net) if family == 4 else []
    guard = "connection-mark=no-mark" if marks else ""
    row = _off(net, menu)
    if row is not None:
        named = selector(row)
        unmarked = guard and not row.says("connection-mark")
        texts = [menu + "/set " + named + " " + guard] if unmarked else []
        ahead = policies_ahead(net, row) if family == 4 else []
        return ahead + texts + [menu + "/enable " + named]
    more = ([guard] if guard else []) + (sparing or [])
    more += stateless.after_layer7(net) if family == 4 else []
    if _in_hardware(net) and family == 4:
        more.append("hw-offload=yes")
    first = _before_others(net, packet, family, menu, others or [])
    kept: list[str] = []
    if family == 4 and not sparing:
        kept = stateless.beside_pairs(net) or stateless.beside_drops(net, first)
    parts = [one.partition("=!") for one in kept]
    if _shown([(name, value) for name, _, value in parts]):
        more += [name + "=" + _other_than(value) for name, _, value in parts]
    ahead = policies_ahead(net, first) if family == 4 and first else []
    place = _in_front_of(_behind(net, ahead, first) if first else None)
    return ahead + [template.replace("{before}", " ".join(more + place)).strip(" ")]


def accepting_behind(net: Network, text: str, family: int) -> list[str]:
    """The accept rule for what a typed FastTrack rule takes; none where one is behind it already.

    Some packets of a fast-tracked connection still take the slow path (fact fasttrack-accept-rule).
    None either where no rule is behind it, and its own matchers leave some connections out.
    `net`: with `text`, the rule's command, typed.
    """
    rows = net.rows.where(TOP[family] + "/firewall/filter", "chain", "forward")
    typed = [row for row in rows if row.first.file == TYPED and row.get("action") == FASTTRACK]
    if not typed:
        return []
    behind = rows[rows.index(typed[-1]) + 1 :]
    if any(row.get("action", "accept") == "accept" and settles(row) for row in behind):
        return []
    if not behind and not settles(typed[-1]):
        return []
    if behind and behind[0].get("action", "accept") == "accept" and not conditions(behind[0]):
        return []  # it accepts them all
    words = text.partition(" place-before=")[0].replace("action=" + FASTTRACK, "action=accept")
    words = words.replace(" hw-offload=yes", "")
    return [" ".join([words] + _in_front_of(behind[0] if behind else None))]


def offloading(net: Network) -> list[str]:
    """FastTrack's rules told to use the chip."""
    rows = [r for r in net.rows.where(FILTER, "action", FASTTRACK) if r.get("hw-offload") != "yes"]
    return [FILTER + "/set " + selector(row) + " hw-offload=yes" for row in rows]


def vlans_on_bridge(net: Network, lines: list[Command]) -> list[str]:
    """VLANs on ports moved to the one bridge that tells VLANs apart; none where that is unclear.

    A port with an address or in a bridge, a bond's, or one of several VLANs is left alone.
    """
    bridges = net.rows.where("/interface/bridge", "vlan-filtering", "yes")
    rows = [row for row in rows_of(net, lines) if row.menu.path == VLAN]
    if len(bridges) != 1 or not rows or len(rows) > MOST:
        return []
    bridge = bridges[0].name
    texts: list[str] = []
    for row in rows:
        port, number = row.get("interface"), row.get("vlan-id")
        used = [other for other in net.rows.of(VLAN) if other.get("interface") == port]
        other = net.rows.where("/ip/address", "interface", port) or port in net.bridge_of
        known = net.kinds.get(port, "ethernet") == "ethernet" and number and len(used) == 1
        if other or not known or not secrets.shows(VLAN, "vlan-id", number):
            return []
        ports = quoted(bridge + "," + port)
        texts += [
            "/interface/bridge/port/add bridge=" + quoted(bridge) + " interface=" + quoted(port)
            + " frame-types=admit-only-vlan-tagged",
            "/interface/bridge/vlan/add bridge=" + quoted(bridge) + " tagged=" + ports
            + " vlan-ids=" + number,
            VLAN + "/set " + selector(row) + " interface=" + quoted(bridge),
        ]  # fmt: skip
    return texts


def _in_hardware(net: Network) -> bool:
    rows = net.rows.of("/interface/ethernet/switch")
    on = [row for row in rows if row.get("l3-hw-offloading") == "yes"]
    return bool(on and net.chip and net.chip["fasttrack"])


def _off(net: Network, menu: str) -> Row | None:
    """A FastTrack rule of the chain forward that is disabled."""
    for row in net.rows.all_of(menu):
        if row.get("action") == FASTTRACK and row.get("chain") == "forward" and not row.on:
            return row
    return None


def fasttrack_off(net: Network) -> list[Command]:
    """The line that a disabled FastTrack rule of IPv4 stands on, where none is on."""
    row = _off(net, FILTER)
    on = net.rows.where(FILTER, "action", FASTTRACK)
    return [row.command("disabled")] if row and not on else []


BACK = {"enable": "disable", "disable": "enable", "stop": "start", "start": "stop"}
CONNECTIONS = "/ip/firewall/connection"


def _whole(net: Network, row: Row, _: list[Command]) -> str:
    """The network of which a rule of srcnat translates a part."""
    whole = _beside(row, cut_off.narrow(net))
    return whole if secrets.shows("/ip/address", "address", whole) else ""


OPPOSITE = {"yes": "no", "no": "yes"}
UNSET = tuple(sorted(TURNED)) + (
    "connection-mark", "connection-state", "to-addresses", "forwarding-override",
    "supported-bands", "master-configuration", "manager", "configuration.manager",
    "dst-address-type", "connection-bytes", "limit",
)  # fmt: skip
"""Properties that `!name` clears, as an export has it."""
BY_ITSELF = {"mtu": "auto"}
"""The values of a tunnel that an export leaves out (manual, EoIP and VXLAN)."""


def undone(before: Network, after: Network, texts: list[str], file: str) -> list[str]:
    """The commands that take `texts` back; empty where no command is known for one of them.

    `file`: what the commands are said to be of in `after`, each on a line of its own.
    """
    added: list[list[Any]] = []
    verbs = [text.partition(" ")[0].rpartition("/") for text in texts]
    # What was added last may name what was added before.
    menus = unique([menu for menu, _, verb in verbs if verb == "add"])
    others: list[str] = []
    for number in range(len(texts), 0, -1):
        text = texts[number - 1]
        menu, _, verb = verbs[number - 1]
        if verb == "add":
            rows = [r for r in after.rows.all_of(menu) if _is_of(r.first, file, number)]
            added += [
                [-menus.index(menu), -row.place, menu + "/remove " + selector(row)] for row in rows
            ]
            others += [] if rows else [""]
        elif verb in BACK:
            path, space, rest = text.partition(" ")
            rest = _other_flag(rest) if verb in ("enable", "disable") else rest
            others.append(path[: -len(verb)] + BACK[verb] + space + rest)
        elif verb == "move":
            others += _moved_back(_typed(before, texts[: number - 1]), _typed(after, others), menu,
                                  text)  # fmt: skip
        elif verb == "set":
            others += _set_back(before, after, menu, file, number, text)[::-1]
        elif menu != CONNECTIONS:  # what was removed there comes again by itself
            others.append("")
    removing = [text for _, _, text in sorted(added)]
    result = others + removing
    return [] if "" in result else result


def _other_flag(selection: str) -> str:
    """The selection of the rows that were on, now that they are off, and the other way."""
    off = " !disabled]"
    if selection[-len(off) :] == off:
        return selection[: -len(off)] + " disabled]"
    return selection


def _is_of(command: Command, file: str, number: int) -> bool:
    return command.file == file and command.number == number


def _same_selection(text: str, changed: list[tuple[Row, list[str]]], old: dict[int, Row]) -> str:
    """The selection of a command by which its new values are cleared; empty where rows had some.

    `[find content~"."] !connection-bytes`: no row's text has changed by which it is chosen.
    """
    selection = text[text.find("[") : text.find("]") + 1]
    names = unique([name for _, own in changed for name in own])
    if len(changed) < FEWEST_AT_ONCE or not selection or any(name in selection for name in names):
        return ""
    rows = [old.get(id(row.first)) for row, _ in changed]
    if any(row is None or row.says(name) for row in rows for name in names):
        return ""
    if any(name not in UNSET for name in names):
        return ""
    return selection + "".join([" !" + name for name in names])


def _moved_back(before: Network, after: Network, menu: str, text: str) -> list[str]:
    """The move of FastTrack's rule, or one of IPsec, to the rule that it was in front of."""
    moved = text.partition(" ")[2].partition(" destination=")[0]
    old = before.rows.all_of(menu)
    places = [place for place, row in enumerate(old)
              if row.get("action") == FASTTRACK or row.says("ipsec-policy")]  # fmt: skip
    places = [place for place in places if selector(old[place]) == moved]
    if len(places) != 1:
        return [""]
    firsts = {id(row.first): row for row in after.rows.all_of(menu)}
    row = firsts.get(id(old[places[0]].first))
    following = old[places[0] + 1 : places[0] + 2]
    target = firsts.get(id(following[0].first)) if following else None
    if row is None or (following and target is None):
        return [""]
    where = " destination=" + selector(target) if target else ""
    return [menu + "/move " + selector(row) + where]


def _set_back(
    before: Network, after: Network, menu: str, file: str, number: int, text: str
) -> list[str]:
    """The values that the rows had, of each row that a command changed; there may be thousands."""
    old = {id(row.first): row for row in before.rows.all_of(menu)}
    every = after.rows.menus[menu].every
    at_once = [name for name in every if _is_of(every[name][1], file, number)]
    if at_once:
        words = [name + "=" + _unsaid(before, menu, name, every[name][0]) for name in at_once]
        one = all(not row.says(name) for row in old.values() for name in at_once)
        one = one and all(word[-1] != "=" for word in words)
        return [menu + "/set [find] " + " ".join(words)] if one else [""]
    changed = [
        (row, [name for name in row.names if _is_of(row.command(name), file, number)])
        for row in after.rows.all_of(menu)
    ]
    changed = [(row, names) for row, names in changed if names]
    by = _same_selection(text, changed, old)
    if by:
        return [menu + "/set " + by]
    texts = []
    for row, names in changed if len(changed) <= MOST else []:
        words = [menu + "/set"]
        named = selector(row)
        words += [named] if named and row.key != "*" else []
        for name in names:
            was = old.get(id(row.first))
            stated = was is not None and was.says(name)
            value = was.get(name) if was and stated else ""
            value = value if stated else _unsaid(before, menu, name, row.get(name))
            if not stated and name in UNSET:
                words.append("!" + name)
                continue
            if not value or (stated and not secrets.shows(menu, name, value)):
                return [""]
            words.append(name + "=" + quoted(value))
        texts.append(" ".join(words))
    return texts or [""]


def _unsaid(net: Network, menu: str, name: str, now: str) -> str:
    """The value that a row had which did not say it, by that which it has now; empty: not known."""
    if (menu, name) == (channels.OLD, "band"):
        return channels.BY_DEFAULT.get(now[:1], "")
    return _default_of(net, menu, name) or OPPOSITE.get(now, "") or BY_ITSELF.get(name, "")


def may_be_unsaid(net: Network, menu: str, name: str, value: str) -> bool:
    """Return True if `undone` may write this value for a row that did not say it."""
    known = [_default_of(net, menu, name), BY_ITSELF.get(name, "")]
    return value in known + list(OPPOSITE) + list(channels.BY_DEFAULT.values())


def _default_of(net: Network, menu: str, name: str) -> str:
    """RouterOS's default of a property, empty where nobody wrote it down.

    Not by `Network.default`, which notes that the answer rests on it.
    """
    for default in net.base["defaults"]:
        if default["menu"] == menu and default["property"] == name:
            return str(default["value"])
    return ""


def _filled(
    net: Network,
    rule: dict[str, Any],
    template: str,
    lines: list[Command],
    packet: Packet | None,
    family: int,
) -> list[str]:
    if "{before}" in template:
        return fasttracking(net, template, packet, family)
    if "{ahead}" in template:
        rules = net.rows.where(TOP[family] + "/firewall/filter", "action", FASTTRACK)
        place = "".join(_in_front_of(rules[0] if rules else None))
        return [template.replace("{ahead}", place).strip(" ")]
    if "{fasttrack}" in template:
        return _of_fasttrack(net, template, packet, family)
    if "{list}" in template:
        names = [name for row in rows_of(net, lines) for _, name in named_by(row)]
        empty = unique([name for name in names if name in net.empty_lists])
        return [template.replace("{list}", quoted(name)) for name in empty]
    if "{untranslated}" in template:
        return _translating(net, template)
    if not (template := _with_known(template, OF_ROUTER, net)):
        return []
    if any(word in template for word in ROW_BY_ROW):
        return _of_rows(net, template, rows_of(net, lines))
    if not any(word in template for word in ("{row}", "{table}", "{guard}", "{listing}")):
        return [template]
    elsewhere = any(word in template for word in ("{menu}", "{table}", "{listing}"))
    only = "" if elsewhere else template.partition(" ")[0].rpartition("/")[0]
    off = "/enable {row}" in template
    rows = [row for row in rows_of(net, lines) if row.on != off and only in ("", row.menu.path)]
    rows = [row for row in rows if not _elsewhere(net, row, packet)]
    texts = []
    for menu in sorted({row.menu.path for row in rows}):
        own = [row for row in rows if row.menu.path == menu]
        every = len(own) == len(net.rows.all_of(menu))
        many = _at_once(rule["where"], every) if len(own) > MOST else _of_all_alike(own)
        if any(word in template for word in OF_EACH):
            many = ""
        chosen = [many] if many else [selector(row) for row in own[:MOST]]
        if BEFORE in template and len(own) > 1:
            # A new rule may look like one that is still to be found, so the last comes first.
            own = own[:MOST][::-1]
            chosen = [_by_place(row) for row in own]
        for one, row in zip(chosen, own, strict=False):
            text = template.replace("{menu}", menu).replace("{row}", one)
            text = _with_known(text, OF_EACH, net, row, lines)
            texts += [text.replace("  ", " ")] if text else []  # a menu's only row has no name
    return texts


OF_LIST = ("chain", "action", "out-interface-list", "ipsec-policy", "comment")
"""What a rule of srcnat may say and still translate all that leaves by a list of interfaces."""


def _translating(net: Network, template: str) -> list[str]:
    """The commands by which each network is translated where it leaves.

    The interface becomes a member of the list whose packets are translated, where there is one: so
    the rules that guard such interfaces are about it too.
    """
    lists = [row.get("out-interface-list") for row in net.rows.where(NAT, "action", "masquerade")
             if all(name in OF_LIST for name in row.names)]  # fmt: skip
    # A list of each line of several is for what only that line does.
    lists = [name for name in unique(lists) if name in net.lists and name.upper() == "WAN"]
    texts: list[str] = []
    for one in cut_off.leaving(net):
        out = quoted(one.out)
        if lists and secrets.shows(NAT, "out-interface-list", lists[0]):
            texts.append(MEMBER + "/add interface=" + out + " list=" + quoted(lists[0]))
        elif secrets.shows("/ip/address", "address", one.network):
            words = "out-interface=" + out + " src-address=" + one.network
            texts.append(template.replace("{untranslated}", words))
    return unique(texts)


def _with_known(template: str, words: dict[str, Callable[..., str]], *about: Any) -> str:
    """A template with what is known for some of its words; empty where one is not known.

    `words`: OF_ROUTER or OF_EACH; `about`: what its functions are asked about.
    """
    for word, known_of in words.items():
        if word in template:
            known = known_of(*about)
            if not known:
                return ""
            template = template.replace(word, known)
    return template


def _fitting(net: Network, row: Row, _: list[Command]) -> str:
    """The MTU of a tunnel that fits into WireGuard."""
    return _beside(row, wiring.in_wireguard(net))


def _beside(row: Row, pairs: list[tuple[Row, Any]]) -> str:
    """The word beside a row in some pairs; empty where it is in none."""
    return next((quoted(str(word)) for one, word in pairs if one is row), "")


def _unlimited(net: Network, row: Row, lines: list[Command]) -> str:
    """The only network of the LAN without a queue that has no children, where others have one.

    It is of the same size.  Empty where a session or a routing protocol may lead to the target.
    """
    own = range_of(row.get("target"))
    tunnels = any(net.kinds.get(name) in TUNNELS for name in net.kinds)
    if tunnels or net.lets_clients_in or stateless.routes(net) or queues.serves_ppp(net.rows):
        return ""
    if len(lines) > 1 or len(queues.elsewhere(net.rows)) != 1:
        return ""
    parents = [one.get("parent") for one in net.rows.of(SIMPLE)]
    beside = [text for one in net.rows.of(SIMPLE) if one.name not in parents
              for text in one.get("target").split(",")]  # fmt: skip
    free: list[str] = []
    others = False
    for one in net.rows.of("/ip/address"):
        whole, name = range_of(one.get("address")), net.above(one.get("interface"))
        if whole is None or own is None or name in net.wan:
            continue
        if any(_is_near(whole, name, net, text) for text in beside):
            others = True
        elif name in net.inside and whole[1] - whole[0] == own[1] - own[0]:
            text = one.get("address")
            free.append(base_of(text) + "/" + text.partition("/")[2])
    single = others and len(free) == 1
    return free[0] if single and secrets.shows(SIMPLE, "target", free[0]) else ""


def _is_near(whole: Range, name: str, net: Network, target: str) -> bool:
    """Return True if a queue's target has hosts of a network, by their addresses or interface."""
    hosts = range_of(target)
    return net.above(target) == name if hosts is None else not apart(hosts, whole)


def _wide(_net: Network, row: Row, _lines: list[Command]) -> str:
    """An address as /24, with its network: `192.168.99.6/24 network=192.168.99.0`."""
    wide = widened(row)
    shown = secrets.shows("/ip/address", "address", wide)
    return wide + " network=" + base_of(wide) if shown else ""


def _gigabit(_net: Network, row: Row, _lines: list[Command]) -> str:
    """The link modes that a port advertises, and 1 Gbit/s: `100M-full,1000M-full`."""
    modes = row.get("advertise")
    return quoted(modes + GIGABIT["base" in modes])


def _above(net: Network, row: Row, _: list[Command]) -> str:
    """The bridge of a port; of a line out none, as the port belongs out of the bridge."""
    return "" if _of_line(net, row) else quoted(net.above(row.get("interface")))


def _listing(net: Network, row: Row, _: list[Command]) -> str:
    """The words that put the bridge of a port into the list of its ports."""
    name, bridge = wiring.listed_with(net, row.get("interface")), net.above(row.get("interface"))
    if not name or bridge in net.lists[name] or not secrets.shows(MEMBER, "list", name):
        return ""
    return "interface=" + quoted(bridge) + " list=" + quoted(name)


def _of_line(net: Network, row: Row) -> bool:
    """Return True if an address is for a line out: a default route's gateway is in its network.

    The routing table may be any, as each line of several has its own; but a network where hosts
    lease addresses is theirs, and a gateway there is another router of the LAN.
    """
    if net.above(row.get("interface")) in net.served:
        return False
    gates = [text.partition("@")[0] for one in net.rows.of("/ip/route")
             if one.get("dst-address", ANYWHERE) == ANYWHERE
             for text in one.get("gateway").split(",")]  # fmt: skip
    return any(row in net.connected(gate) for gate in gates)


def _of_rows(net: Network, template: str, rows: list[Row]) -> list[str]:
    """The commands of a template with a word of `ROW_BY_ROW`."""
    if "{port}" in template:
        ports = [(row.get("interface"), offload.let_to(net, row)) for row in rows]
        return [template.replace("{port}", quoted(port)).replace("{apart}", quoted(apart))
                for port, apart in ports if apart]  # fmt: skip
    if "{output}" in template:
        return [template.replace("{output}", words) for row in rows for words in _in_output(row)]
    if "{name}" in template:
        return [template.replace("{name}", quoted(row.name)) for row in rows]
    return [text for row in rows for text in _of_profiles(net, template, row)]


def _of_profiles(net: Network, template: str, row: Row) -> list[str]:
    """A provisioning rule's command for the first of its profiles, or those for the others."""
    every = [(asked + " " + radios.MASTER + "=" + quoted(name)).strip(" ")
             for asked, name in radios.by_band(net, row)]  # fmt: skip
    template = template.replace("{menu}", row.menu.path).replace("{row}", selector(row))
    template = template.replace("{action}", row.get("action"))
    if "{profile}" in template:
        return [template.replace("{profile}", words) for words in every[:1]]
    return [template.replace("{profiles}", words) for words in every[1:]]


def _into(net: Network) -> str:
    """The bridge of a CAPsMAN's datapath, where its own CAP has none."""
    names = [row.get("bridge") for row in net.rows.of(DATAPATH) if row.get("bridge")]
    known = [row for row in net.rows.of(CAP) if row.get("bridge", "none") != "none"]
    return quoted(names[0]) if names and not known else ""


def _share(net: Network) -> str:
    """The mark of the connections that get no routing mark."""
    mark = misled(net)[0][1]
    return quoted(mark) if secrets.shows(MANGLE, "connection-mark", mark) else ""


OF_ROUTER: dict[str, Callable[[Network], str]] = {
    "{chip}": lambda net: "" if frames_guarded(net) else "hw=yes",
    "{forwarding}": lambda net: "local-forwarding=yes" if radios.can_forward(net) else "",
    "{gateway}": in_front,
    "{into}": _into,
    "{share}": _share,
}
"""Words of a template that are the same for all rows, each with what is known of a router."""


def _number(net: Network, port: Row, _: list[Command]) -> str:
    """The number of the VLAN whose interface is a port of a bridge, or that has it untagged."""
    rows = net.rows.where(VLAN, "name", port.get("interface"))
    return rows[0].get("vlan-id") if rows else cut_off.untagged_in(net, port)


def _members(net: Network, table: Row, lines: list[Command]) -> str:
    """The tagged members of a line of the VLAN table, and those ports of `lines` on its bridge."""
    names = [table.get("tagged")] if table.get("tagged") else []
    ports = net.port_rows.get(table.get("bridge"), [])
    return quoted(",".join(names + [row.get("interface") for row in ports if row.first in lines]))


def _shown_others(net: Network, row: Row) -> str:
    """The DNS servers beside the router that a network of DHCP is told, or the router asks."""
    name = "servers" if row.says("servers") else "dns-server"
    others = wiring.others_than_router(net, row, name)
    shown = secrets.shows(row.menu.path, name, others)
    return quoted(others) if shown else ""


def _in_output(row: Row) -> list[str]:
    """The words of a rule of prerouting for a copy in output; none where they may not be shown."""
    names = [name for name in row.names if name not in ("chain", "comment", "disabled")]
    names = [name for name in names if row.get(name) and name[:3] != "log"]
    if not all(_is_shown(row, name) for name in names):
        return []
    return [" ".join(["chain=output"] + [_said(row, name) for name in names])]


def _staying(net: Network, lines: list[Command]) -> str:
    """The matchers of packets that a route sends back into the network that they come from."""
    rows = rows_of(net, lines)
    targets = [row.get("dst-address") for row in rows if row.menu.path == "/ip/route"]
    names = [row.get("interface") for row in rows if row.menu.path == "/ip/address"]
    if not targets or not names or not secrets.shows("/ip/route", "dst-address", targets[0]):
        return ""
    name = quoted(names[0])
    return "dst-address=" + targets[0] + " in-interface=" + name + " out-interface=" + name


def _table_of(net: Network, row: Row, _: list[Command]) -> str:
    """The gateway and the table of a routing mark, for a route: `gateway=10.0.0.1 routing-table=a`.

    The mark is for the line whose connections get the connection mark that the rule asks for.
    Empty where that is unclear, or where RouterOS 7 has no such table.
    """
    mark, connection = row.get("new-routing-mark"), row.get("connection-mark")
    coming = net.rows.where(MANGLE, "new-connection-mark", connection) if connection else []
    lines = unique([one.get("in-interface") for one in coming])
    every = [way for name in lines if name in net.wan
             for way in gateways(net.rows, net.kinds, name)]  # fmt: skip
    seven = not net.numbers or net.numbers[0] > 6
    if len(every) != 1 or (seven and not net.rows.where("/routing/table", "name", mark)):
        return ""
    if not secrets.shows("/ip/route", "gateway", every[0]):
        return ""
    word = "routing-table=" if seven else "routing-mark="
    return "gateway=" + quoted(every[0]) + " " + word + quoted(mark)


def _usual(_: Network, row: Row, __: list[Command]) -> str:
    """What a type of queue of RouterOS's own has by default, in place of a long row of packets."""
    return "kind=" + queues.SFQ if queues.type_of(row) == queues.OF_RADIOS else "pfifo-limit=50"


def _answering(net: Network, row: Row, _: list[Command]) -> str:
    """The routing mark of the line by which the connections of a rule of output came in."""
    own = next((table for one, table in answering(net) if one is row), "")
    return quoted(own) if own and secrets.shows(MANGLE, "new-routing-mark", own) else ""


OF_EACH: dict[str, Callable[[Network, Row, list[Command]], str]] = {
    "{above}": _above,
    "{answering}": _answering,
    "{aside}": lambda net, _, lines: _staying(net, lines),
    "{channel}": lambda net, row, _: channels.channel(net, row),
    "{fits}": _fitting,
    "{free}": _unlimited,
    "{gigabit}": _gigabit,
    "{guard}": lambda net, row, _: _by_place(stateless.before_drop(net, row)),
    "{home}": lambda net, row, _: _beside(row, wiring.leasing_elsewhere(net)),
    "{listing}": _listing,
    "{members}": _members,
    "{newest}": lambda net, row, _: channels.newest_band(net, row),
    "{number}": _number,
    "{others}": lambda net, row, _: _shown_others(net, row),
    "{own}": lambda net, row, _: quoted(wiring.own_addresses(net, row)),
    "{replies}": lambda net, row, _: stateless.answering(net, row),
    "{table}": _table_of,
    "{usual}": _usual,
    "{whole}": _whole,
    "{wide}": _wide,
    "{wider}": lambda net, row, _: channels.wider(row),
}
"""Words of a template that differ from row to row, each with what is known of a row."""


def _elsewhere(net: Network, row: Row, packet: Packet | None) -> bool:
    """Return True if a raw rule is about interfaces by which these packets do not pass."""
    if not row.menu.path.endswith("/raw") or packet is None:
        return False
    passed = (packet.ins or []) + (packet.outs or [])
    named = row.get("in-interface")
    return bool(named and not named.startswith("!") and passed and net.above(named) not in passed)


def _at_once(where: dict[str, str], every: bool) -> str:
    """A selection of all rows that meet a rule; empty where its words cannot be said so."""
    if every:
        return "[find]"
    for value in where.values():
        if not value or not all(letter in BARE for letter in value):
            return ""
    words = [name + "=" + where[name] for name in sorted(where)]
    return "[find where " + " ".join(words + ["!disabled"]) + "]"


def _of_all_alike(rows: list[Row]) -> str:
    """The selection of rows that only their places tell apart, where no other row is like them."""
    begin = "[:pick "
    alike = unique([selector(row).rpartition(" ")[0] for row in rows])
    names = [name for name in KINDS if rows[0].get(name)]
    every = len(alike) == 1 and len(rows) == len(_alike(rows[0], names))
    return alike[0][len(begin) :] if every and alike[0][: len(begin)] == begin else ""


def _of_fasttrack(net: Network, template: str, packet: Packet | None, family: int) -> list[str]:
    texts = []
    for table in ("filter", "mangle"):
        menu = TOP[family] + "/firewall/" + table
        for row in net.rows.where(menu, "action", FASTTRACK):
            text = template.replace("{menu}", menu).replace("{fasttrack}", selector(row))
            if "{first}" in template:
                first = _first(net, packet, family, menu)
                if first is None or _in_front(net, menu, row, first):
                    continue
                if row.get("chain") != first.get("chain"):
                    texts.append(menu + "/set " + selector(row) + " chain=" + first.get("chain"))
                ahead = policies_ahead(net, first) if family == 4 else []
                texts += ahead
                text = text.replace("{first}", selector(_behind(net, ahead, first)))
            texts.append(text)
    return texts


def _in_front(net: Network, menu: str, row: Row, other: Row) -> bool:
    """Return True if a rule stands in the same chain, before another."""
    for rule in net.rows.of(menu):
        if rule is row:
            return row.get("chain") == other.get("chain")
        if rule is other:
            return False
    return False


def _first(net: Network, packet: Packet | None, family: int, menu: str) -> Row | None:
    """The first rule of a table that ends the way of some of the packets, as they enter it."""
    if packet is None:
        return None
    matches: list[Row] = []
    table = menu.rpartition("/")[2]
    for table_name, chain in TABLES:
        if table_name != table or matches:
            continue
        for one in (packet, packet.back()):
            steps = walk(net, one, table, chain, forwarded=True).steps
            accepts = [step for step in steps if step.action == "accept" and step.verdict != NO]
            accepts = [step for step in accepts if step.top.first.file != TYPED]
            matches += [step.top for step in accepts[:1]]
    for row in net.rows.of(menu):
        if row in matches:
            return row
    return None


def _before_others(
    net: Network, packet: Packet | None, family: int, menu: str, others: list[Packet]
) -> Row | None:
    """The first rule that ends the way of some of the packets, or of `others`.

    Not before a rule that refuses some of the packets, which FastTrack's rule would then pass by.
    """
    own = _first(net, packet, family, menu)
    firsts = [_first(net, other, family, menu) for other in others]
    between: list[Row] = []
    for row in net.rows.of(menu):
        if row is own:
            break
        if between or row in firsts:
            between.append(row)
    refusing = [id(row) for row in between if row.get("action") in REFUSES]
    for one in (packet, packet.back()) if packet is not None and refusing else ():
        for step in walk(net, one, "filter", "forward", forwarded=True).steps:
            if step.verdict != NO and id(step.top) in refusing:
                return own
    return between[0] if between else own


def rows_of(net: Network, lines: list[Command]) -> list[Row]:
    """The rows that commands made or changed, each once."""
    rows: list[Row] = []
    menus = [line.menu for line in lines]
    for menu in net.rows.menus:
        if menu not in menus:
            continue
        own = {id(line) for line in lines if line.menu == menu}
        for row in net.rows.all_of(menu):
            if id(row.first) in own or any(id(row.command(name)) in own for name in row.names):
                rows.append(row)
    return rows


def selector(row: Row) -> str:
    """Return the words that select a row: `[find name=bridge1]`; empty for a menu's only one.

    It looks through the rows of its menu, of which there may be thousands: once for each row.
    """
    if not row.selector:
        row.selector = _selector(row)
    return row.selector


def _selector(row: Row) -> str:
    menu = row.menu
    if row.key not in (ADDED, "", "*") and not row.says("name") and _may_be_shown(row, row.key):
        return row.key
    both = OF_LISTS.get(menu.path, ())
    if both and all(_is_shown(row, name) for name in both):
        # A member may be in other lists too, and of `interface=INTERFACE` nobody knows yet.
        return "[find " + " ".join([_said(row, name) for name in both]) + "]"
    for pair in OF_ROUTES if menu.path == "/ip/route" else ():
        shown = all(row.get(name) and _is_shown(row, name) for name in pair)
        if shown and len(_alike(row, list(pair))) == 1:
            return "[find " + " ".join([_said(row, name) for name in pair]) + "]"
    for name in KEYS:
        if row.get(name) and _is_shown(row, name) and len(_alike(row, [name])) == 1:
            return "[find " + _said(row, name) + "]"
    return _by_place(row)


def _by_place(row: Row) -> str:
    """The words that select a row by its place among those of its chain and action."""
    menu = row.menu
    names = [name for name in KINDS if row.get(name) and _is_shown(row, name)]
    if not names and row.key != ADDED:
        # The place of a row that the router has of itself is not known: no command names it.
        return {"*": "[find]", "": ""}.get(row.key, secrets.STRUCK)
    words = "".join([" " + _said(row, name) for name in names])
    words += "" if menu.path == "/ip/ipsec/policy" else " !dynamic"
    alike = _alike(row, names)
    selection = "[find where" + words + "]"
    if len(alike) == 1:
        return selection
    # An owner can check an address or an interface, and not a place among many.
    for name in TOLD_BY if names else ():
        if _tells(row, name) and _alike(row, names + [name]) == [row]:
            return selection.replace(" !dynamic", " " + _said(row, name) + " !dynamic")
    return "[:pick " + selection + " " + str(alike.index(row)) + "]"


def _tells(row: Row, name: str) -> bool:
    """True if a row's value may stand behind `find`: `!` means others there, `*` a number."""
    value = row.get(name)
    return bool(value) and value[0] not in "!*" and _is_shown(row, name)


def at_once(net: Network, texts: list[str]) -> list[str]:
    """Commands that set the same on several rows as one, where one selection has just these rows.

    `set [find interface=ether2] hw=yes` and others like it: `set [find hw=no] hw=yes`.
    """
    result: list[str] = []
    done: list[str] = []
    for text in texts:
        path, words = _without_row(text)
        same = [other for other in texts if _without_row(other) == (path, words)]
        if text in done:
            continue
        one = _selecting(net, path, words, same) if words and len(same) > 1 else ""
        done += same if one else []
        result.append(path + " " + one + " " + words if one else text)
    return result


def _without_row(text: str) -> tuple[str, str]:
    """A command of `set` without its selection: its path and its values; no values of others."""
    path, _, rest = text.partition(" ")
    if path[-len("/set") :] != "/set" or rest[:1] != "[":
        return path, ""
    return path, rest[len(_selection_of(rest)) :].strip(" ")


def _selection_of(rest: str) -> str:
    """What stands in brackets at the beginning: `[:pick [find where chain=forward] 1]`."""
    depth = 0
    for at, letter in enumerate(rest):
        depth += (letter == "[") - (letter == "]")
        if not depth:
            return rest[: at + 1]
    return rest


def _selecting(net: Network, path: str, words: str, texts: list[str]) -> str:
    """A selection that has the rows of these commands and no others; empty where none is known."""
    selections = [_selection_of(text.partition(" ")[2]) for text in texts]
    every = net.rows.all_of(path[: -len("/set")])
    rows = [row for row in every if selector(row) in selections]
    if len(rows) != len(texts):
        return ""
    kinds = [name for name in KINDS if rows[0].get(name)]
    changed = [word.partition("=")[0] for word in words.split(" ")]
    for name in changed + list(TOLD_BY) + list(kinds[1:]):
        names = kinds + [name] if name not in kinds else kinds
        # Rates and times are numbers to `find`, and lists have several values.
        if (
            name == "disabled"
            or not _is_word(rows[0].get(name))
            or not all(_tells(rows[0], one) for one in names)
        ):
            continue
        alike = _alike(rows[0], names)
        if len(alike) == len(rows) and all(row in rows for row in alike):
            said = " ".join([_said(rows[0], one) for one in names])
            return "[find where " + said + " !dynamic]" if kinds else "[find " + said + "]"
    return ""


def _is_word(value: str) -> bool:
    """True for `no`, `pcq-up`, `500` and `10.0.0.0/24`; False for `10M/10M`, `1d` and `a,b`."""
    letters = [letter for letter in value if letter.isalpha()]
    return "," not in value and not (value[:1].isdigit() and letters)


def _is_shown(row: Row, name: str) -> bool:
    """Return True if a row's value of a property may be shown."""
    return secrets.shows(row.menu.path, name, row.get(name))


def _said(row: Row, name: str) -> str:
    """A property of a row as a command has it: `name=bridge1`."""
    return name + "=" + quoted(row.get(name))


def _may_be_shown(row: Row, key: str) -> bool:
    """True if a number (`*1F`: the router's own), or a name where those of the menu are shown."""
    digits = "0123456789ABCDEF" if key[0] == "*" else "0123456789"
    return not key.lstrip("*").strip(digits) or secrets.is_shown(row.menu.path, "name")


def _alike(row: Row, names: list[str]) -> list[Row]:
    """The rows of its menu that have the same values, in their order."""
    others = [other for other in row.menu.rows if not other.removed]
    for name in names:
        others = [other for other in others if other.get(name) == row.get(name)]
    return others


def counters_of(interfaces: list[str]) -> str:
    """Return the command that prints the fast path's counters of interfaces."""
    named = ["name=" + quoted(name) for name in interfaces]
    return "/interface/print stats-detail where " + " or ".join(named)
