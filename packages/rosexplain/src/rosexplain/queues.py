"""The queues of a router: which packets pass one of the tree, by which marks, and its rates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from rosexplain import scripts
from rosexplain.addresses import Range, range_of, touches, united
from rosexplain.durations import milliseconds_of
from rosexplain.network import NO_MARK, lets_clients_in
from rosexplain.ordered import unique
from rosexplain.rows import ADDED, Menu, Row, Rows
from rosexplain.selection import is_number
from rosexplain.uplinks import ANYWHERE

ALWAYS, CPU, SLOW = "always", "cpu", "slow"
"""The words of a rule's `limits`: every packet meets it, the CPU's do, those of the slow path."""

SIMPLE, TREE = "/queue/simple", "/queue/tree"
GLOBAL = "global"
MOST_ABOVE = 64
"""Queues above a leaf; parents that go round in a ring end too."""

KID_CONTROL = "/ip/kid-control"
BY_KID = ("rate-limit", "mon", "tue", "wed", "thu", "fri", "sat", "sun")
MOST_DIGITS = 15
UNITS = {"k": 1000, "M": 1000_000, "G": 1000_000_000, "K": 1000, "m": 1000_000, "g": 1000_000_000}
"""Some exports have rate-limit=350m or 556K, as somebody typed it."""
BPS = "bps"

LEAST_URGENT = "8"
"""The priority of a queue that says none (fact htb-priority)."""
ADDS, SWITCHES = ("add",), ("enable", "disabled=no")
"""What a script does to queues that then limit."""


ByKind: TypeAlias = dict[str, tuple[tuple[str, str], ...]]
"""By the kind of a mark menus, each with a property."""

READ_BY: ByKind = {
    "connection": (("/ip/firewall/filter", "connection-mark"),
                   ("/ip/firewall/mangle", "connection-mark"),
                   ("/ip/firewall/nat", "connection-mark"),
                   ("/ipv6/firewall/filter", "connection-mark"),
                   ("/ipv6/firewall/mangle", "connection-mark"),
                   ("/ipv6/firewall/nat", "connection-mark")),
    "packet": (("/ip/firewall/filter", "packet-mark"), ("/ip/firewall/mangle", "packet-mark"),
               ("/ip/firewall/nat", "packet-mark"), ("/ipv6/firewall/filter", "packet-mark"),
               ("/ipv6/firewall/mangle", "packet-mark"),
               ("/interface/bridge/filter", "packet-mark"),
               ("/interface/bridge/nat", "packet-mark"), ("/queue/tree", "packet-mark"),
               ("/queue/simple", "packet-marks")),
}  # fmt: skip
"""The properties that read a mark, by the kind of mark."""
SET_BY: ByKind = {
    "connection": (("/ip/firewall/mangle", "new-connection-mark"),
                   ("/ipv6/firewall/mangle", "new-connection-mark")),
    "packet": (("/ip/firewall/mangle", "new-packet-mark"),
               ("/ipv6/firewall/mangle", "new-packet-mark"),
               ("/interface/bridge/filter", "new-packet-mark"),
               ("/interface/bridge/nat", "new-packet-mark"),
               ("/ip/hotspot/user/profile", "incoming-packet-mark"),
               ("/ip/hotspot/user/profile", "outgoing-packet-mark")),
}  # fmt: skip
"""The properties that set one."""


def marks_in(value: str) -> list[str]:
    """The marks that a property names, with `no-mark`, without its `!`."""
    marks = value.lstrip("!")
    if "," not in marks:  # of thousands of queues
        return [marks] if marks else []
    return [mark for mark in marks.split(",") if mark]


def marks_of(
    rows: Rows, properties: tuple[tuple[str, str], ...], but: list[Row] | None = None
) -> set[str]:
    """The marks that these properties name anywhere; `but`: rows that do not count."""
    return {mark for menu, name in properties for row in rows.of(menu) if row not in (but or [])
            for mark in marks_in(row.get(name))}  # fmt: skip


def of_kids(rows: Rows) -> list[Row]:
    """Whom kid control gives hours or a rate, by filter rules and queues that it makes itself."""
    users = [row.get("user") for row in rows.of(KID_CONTROL + "/device")]
    return [row for row in rows.of(KID_CONTROL)
            if row.name in users and any(row.get(name) for name in BY_KID)]  # fmt: skip


def of_nobody(rows: Rows) -> list[Row]:
    """The queues for packets with marks that no rule sets."""
    known = {NO_MARK} | marks_of(rows, SET_BY["packet"])
    own = [(row, marks_in(row.get(name))) for menu, name in READ_BY["packet"][-2:]
           for row in rows.of(menu)]  # fmt: skip
    return [row for row, marks in own if marks and not known.intersection(marks)]


def binding(rows: Rows) -> list[Row]:
    """The queues that limit something: the tightest of a branch, those of most branches first.

    Of equal ones on a branch that nearest to the root, which others share.  A simple queue with
    children is a leaf too: it keeps what none of them matches.  Behind these, the parents of which
    the children together could take more.
    """
    every = [one.rows for one in branches(rows)]
    by_name = {row.name: row for row in rows.of(SIMPLE)}
    for leaf in rows.of(SIMPLE):
        branch = [leaf]
        while branch[-1].get("parent") in by_name and len(branch) < MOST_ABOVE:
            branch.append(by_name[branch[-1].get("parent")])
        every.append(branch)
    counts: dict[int, int] = {}
    sums: dict[int, int] = {}
    for branch in every:
        for side in (0, -1):
            rates = [rate_of(row, side) for row in branch]
            least = min([rate for rate in rates if rate] or [0])
            tightest = [row for row, rate in zip(branch, rates, strict=False) if rate == least]
            if least:
                counts[id(tightest[-1])] = counts.get(id(tightest[-1]), 0) + 1
                for row in branch:
                    sums[id(row)] = sums.get(id(row), 0) + least
    places: list[tuple[int, int, int]] = []
    bound = [row for menu in (TREE, SIMPLE) for row in rows.of(menu)]
    for place, row in enumerate(bound):
        together = rate_of(row, 0) + rate_of(row, -1)
        if id(row) in counts or 0 < together < sums.get(id(row), 0):
            most = together if row.menu.path == TREE else 0
            places.append((-counts.get(id(row), 0), -most, place))
    return [bound[place] for _, _, place in sorted(places)]


def rate_of(row: Row, side: int) -> int:
    """A queue's max-limit [bit/s]; `side`: 0 its uploads, -1 its downloads, of a simple queue."""
    sides = row.menu.once("rates", _rates)[row.get("max-limit")]
    return int(sides[side] if side < len(sides) else sides[-1])


def _rates(menu: Menu) -> dict[str, list[int]]:
    """The rates of each max-limit: `{"10M/50M": [10000000, 50000000]}`."""
    texts = {row.get("max-limit") for row in menu.rows}
    return {text: [bits_of(side) for side in text.split("/")] for text in texts}


def of_pcq(rows: Rows) -> list[tuple[Row, str]]:
    """The types with a rate for each stream that some leaf queue has, each with who passes it.

    Not where a max-limit on their way is no higher than that rate, and so limits every stream.
    """
    users: list[tuple[str, str, int]] = []
    for one in branches(rows):
        rates = [rate_of(row, 0) for row in one.rows]
        least = min([rate for rate in rates if rate] or [0])
        users.append((one.rows[0].get("queue"), one.word, least))
    parents = {row.get("parent") for row in rows.of(SIMPLE)}
    users += [(name, SLOW, rate_of(row, side)) for row in rows.of(SIMPLE)
              if row.name not in parents
              for side, name in enumerate(row.get("queue").split("/")[:2])]  # fmt: skip
    users += [(row.get("queue"), CPU, 0) for row in rows.of("/queue/interface")]
    types: list[tuple[Row, str]] = []
    for row in rows.of(TYPES):
        rate = bits_of(row.get("pcq-rate")) if row.get("kind") == "pcq" else 0
        words = [word for name, word, most in users
                 if name == row.name and (most == 0 or rate < most)]  # fmt: skip
        if words and rate:
            types.append((row, CPU if CPU in words else SLOW))
    return types


def untyped_parents(rows: Rows) -> list[Row]:
    """The queues of the tree with children and a type of their own, which no packet waits in."""
    return unique([row for one in branches(rows) for row in one.rows[1:]
                   if row.get("queue") not in PLAIN], id)  # fmt: skip


def unlimited_parents(rows: Rows) -> list[Row]:
    """The tops of the tree and of simple queues without a limit, whose children's priorities differ
    in vain.

    A type of its own may limit what passes, and a script may set the limit at its time.
    """
    if scripts.may_change(rows, "queue"):
        return []
    tops: list[Row] = []
    for one in branches(rows):
        above = one.rows[1:]
        free = above and not any(bits_of(row.get("max-limit")) or row.get("queue") not in PLAIN
                                 for row in above)  # fmt: skip
        tops += above[-1:] if free and _competing(rows, above[-1]) else []
    tops += [row for row in rows.of(SIMPLE)
             if row.get("parent", "none") == "none" and not limits(row) and _competing(rows, row)
             ]  # fmt: skip
    return unique(tops, id)


def _competing(rows: Rows, top: Row) -> bool:
    """Return True if the priorities of a queue's children differ, and a limit is meant for some."""
    below = rows.where(top.menu.path, "parent", top.name) if top.name else []
    usual = LEAST_URGENT + ("/" + LEAST_URGENT if top.menu.path == SIMPLE else "")
    own = {row.get("priority", usual) for row in below}
    limited = any(bits_of(side) for row in below for side in row.get("max-limit").split("/"))
    return limited and len(own) > 1


def of_both_ways(rows: Rows) -> list[Row]:
    """The tightest queues of global for all packets, those from the LAN and those to it alike."""
    if any(row.get("new-packet-mark") for menu, _ in SET_BY["packet"] for row in rows.of(menu)):
        return []
    every = [one.rows[0] for one in branches(rows)
             if one.root == GLOBAL and one.marks in ([], [NO_MARK])]  # fmt: skip
    return [row for row in every if bits_of(row.get("max-limit"))]


def of_host(row: Row) -> bool:
    """Return True if a simple queue is for one host, or for several that are named one by one."""
    ranges = [range_of(text) for text in row.get("target").split(",")]
    return all(one is not None and one[1] <= one[0] + 1 for one in ranges)


def in_one_line(rows: Rows) -> list[Row]:
    """The simple queues in which several hosts wait in one line, first in, first out.

    None where a type of RouterOS was changed, which may be theirs.
    """
    if any(row.key != ADDED for row in rows.all_of(TYPES)):
        return []
    without = elsewhere(rows)
    served = [row.get("interface") for row in rows.of(LEASES)]
    parents = {row.get("parent") for row in rows.of(SIMPLE)}
    every: list[Row] = []
    for row in rows.of(SIMPLE):
        several = range_of(row.get("target")) is not None and not of_host(row)
        several = several or row.get("target") in served
        plain = all(name in PLAIN for name in row.get("queue").split("/"))
        limited = any(bits_of(side) for side in row.get("max-limit").split("/"))
        if several and plain and limited and row.name not in parents and row not in without:
            every.append(row)
    return every


def short(rows: Rows) -> list[Row]:
    """The leases and simple queues of high rates whose packets wait in a queue of ten.

    None where a type of RouterOS was changed, nor where one direction has a type that shares out.
    """
    if any(row.key != ADDED for row in rows.all_of(TYPES)):
        return []
    every = [(row, "queue-type", "rate-limit") for row in rows.of(LEASE)]
    every += [(row, "queue", "max-limit") for row in rows.of(SIMPLE)]
    return [row for row, kind, limit in every if SMALL in row.get(kind).split("/")
            and all(name in PLAIN for name in row.get(kind).split("/"))
            and max([bits_of(side) for side in row.get(limit).split(" ")[0].split("/")])
            >= HIGH]  # fmt: skip


def long(rows: Rows) -> list[Row]:
    """The types of RouterOS's own in which thousands of packets wait, where something uses them."""
    used = [text for menu in ("/queue/interface", SIMPLE, TREE) for row in rows.of(menu)
            for text in row.get("queue").split("/")]  # fmt: skip
    used += [OF_RADIOS] if rows.of("/interface/wireless") else []
    rates = {text: rate_of(row, 0) for menu in (SIMPLE, TREE) for row in rows.of(menu)
             for text in row.get("queue").split("/")}  # fmt: skip
    return [row for row in rows.of(TYPES) if type_of(row) in used
            and rates.get(type_of(row), 0) < WAITS * bits_of(row.get("pfifo-limit"))
            and row.get("kind", SFQ if type_of(row) == OF_RADIOS else "pfifo") == "pfifo"
            and bits_of(row.get("pfifo-limit")) >= LONG]  # fmt: skip


def type_of(row: Row) -> str:
    """The name of a type of RouterOS's own, by its name or its number; else empty."""
    name = BY_NUMBER.get(row.name, row.name)
    return name if name in BY_NUMBER.values() else ""


def takes(asked: list[str], marks: list[str]) -> bool:
    """Return True if a queue that asks for these marks takes a packet with those."""
    return not asked or any(mark in asked for mark in marks or [NO_MARK])


@dataclass(frozen=True)
class Branch:
    """A leaf of the tree and the queues above it, what they hang from, and the leaf's marks."""

    rows: list[Row]
    root: str
    marks: list[str]

    @property
    def word(self) -> str:
        """SLOW: fast-tracked packets pass none that hangs from global, and have no packet mark."""
        return CPU if self.root != GLOBAL and takes(self.marks, []) else SLOW


def branches(rows: Rows) -> Iterator[Branch]:
    """Each leaf of the queue tree; only those take packets, and their parents by them.

    Below a queue that is disabled none takes any.
    """
    by_name = {row.name: row for row in rows.of(TREE)}
    disabled = {row.name for row in rows.all_of(TREE) if row.name not in by_name}
    parents = {row.get("parent") for row in rows.of(TREE)}
    for leaf in rows.of(TREE):
        if leaf.name in parents:
            continue
        branch = [leaf]
        while branch[-1].get("parent") in by_name and len(branch) < MOST_ABOVE:
            branch.append(by_name[branch[-1].get("parent")])
        root = branch[-1].get("parent")
        if root not in disabled:
            yield Branch(branch, root, marks_in(leaf.get("packet-mark")))


LIMITS = ("max-limit", "limit-at")
PLAIN = ("", "default", "default-small")
"""The types of a queue that limit nothing and sort nothing."""
SIMPLE_LIMITS = LIMITS + ("burst-limit", "total-max-limit", "total-limit-at", "total-burst-limit")


OFF = ("", "no", "false")
SMALL, HIGH, LONG = "default-small", 50_000_000, 500
"""The type that holds ten packets, a rate [bit/s] that these are short for, and a long queue."""
WAITS = 120_000
"""The rate [bit/s] for each packet of a full queue at which the last one waits 0.1 s."""
OF_RADIOS, SFQ = "wireless-default", "sfq"
BY_NUMBER = {"0": "default", "1": "ethernet-default", "2": OF_RADIOS}
"""The numbers of RouterOS's own types of queues."""
UNLIMITED = ("0", "0/0")
"""Values of rate-limit that limit nothing."""
TYPES, GRAPHS = "/queue/type", "/tool/graphing/queue"
PROFILES, SESSIONS, HOTSPOT = "/ppp/profile", "/ppp/aaa", "/ip/hotspot"
LOGINS, GUESTS = HOTSPOT + "/profile", HOTSPOT + "/user/profile"
LEASES, LEASE = "/ip/dhcp-server", "/ip/dhcp-server/lease"
RATE, RADIUS = "rate-limit", "use-radius"
DYNAMIC_LIMITS = ((PROFILES, RATE), (GUESTS, RATE), (LOGINS, RATE), (LEASE, RATE),
                  (SESSIONS, RADIUS), (LOGINS, RADIUS), (LEASES, RADIUS))  # fmt: skip
"""Where clients get simple queues of their own, which no export shows."""
TIGHT = 1000000
"""The rate [bit/s] at which a guest waits for every page."""
LEAST_MS = 100
"""The shortest default that the manual had for an answer of RADIUS (fact radius-timeout)."""
SERVICES = {SESSIONS: "ppp", LOGINS: "hotspot", LEASES: "dhcp"}
"""By the menu that asks RADIUS, the service of an entry of /radius that answers it."""


def serves_ppp(rows: Rows) -> bool:
    """Return True if the router has a PPP server that is on."""
    return lets_clients_in(rows) or bool(rows.of("/interface/pppoe-server/server"))


def of_clients(rows: Rows) -> list[tuple[Row, str]]:
    """The rows by which clients that are here get queues of their own, each with its property.

    Not a DHCP server that asks RADIUS, which is for addresses more often than for rates.
    """
    without = unanswered(rows)
    every: list[tuple[Row, str]] = []
    for menu, name in DYNAMIC_LIMITS:
        served = serves_ppp(rows) if menu[:4] == "/ppp" else True
        served = bool(rows.of(HOTSPOT)) if menu[: len(HOTSPOT)] == HOTSPOT else served
        every += [(row, name) for row in rows.of(menu) if served
                  and row.get(name) not in OFF + UNLIMITED + ("accounting",)
                  and (name != RADIUS or (row not in without and menu != LEASES))]  # fmt: skip
    return every + [(row, name) for row, name in scripted(rows) if row.menu.path == LEASES]


def clients_of(rows: Rows, row: Row) -> list[str]:
    """The addresses and interfaces of those whom a queue is for, or a row that makes queues."""
    menu = row.menu.path
    if menu in (PROFILES, SESSIONS):
        profiles = [row] if menu == PROFILES else rows.of(PROFILES)
        return unique([text for profile in profiles for text in pool_of(rows, profile)])
    if menu[: len(HOTSPOT)] == HOTSPOT and menu != HOTSPOT:
        return [one.get("interface") for one in rows.of(HOTSPOT)]
    if menu == LEASE:
        return [row.get("address")]
    return row.get("target").split(",") if menu == SIMPLE else [row.get("interface")]


NETWORKS = (("/ip/address", "address"), ("/ip/route", "dst-address"), ("/ip/pool", "ranges"),
            ("/ip/dhcp-server/network", "address"), ("/ppp/secret", "remote-address"),
            ("/ppp/profile", "remote-address"), ("/interface/wireguard/peers", "allowed-address"),
            ("/ip/ipsec/policy", "dst-address"), ("/ip/arp", "address"))  # fmt: skip
"""The properties that say where addresses are."""


def elsewhere(rows: Rows) -> list[Row]:
    """The simple queues whose target lies in no network of the export, nor in one that is off."""
    if not rows.of("/ip/address"):
        return []
    networks = united([one for menu, name in NETWORKS for row in rows.all_of(menu)
                       for one in _ranges(row.get(name))])  # fmt: skip
    every: list[Row] = []
    for row in rows.of(SIMPLE):
        targets = _ranges(row.get("target"))
        if targets and not any(touches(target, networks) for target in targets):
            every.append(row)
    return every


def _ranges(text: str) -> list[Range]:
    """The IPv4 addresses of a property, without `0.0.0.0/0`; none where it has a name."""
    ranges = [range_of(part) for part in text.split(",") if part != ANYWHERE]
    return [one for one in ranges if one is not None]


def pool_of(rows: Rows, profile: Row) -> list[str]:
    """The addresses and ranges of a PPP profile's sessions: of its pools, and of its secrets."""
    names = [profile.get("remote-address")]
    names += [row.get("remote-address") for row in rows.of("/ppp/secret")
              if row.get("profile") == profile.name]  # fmt: skip
    texts: list[str] = []
    for name in names:
        pools = [row for row in rows.of("/ip/pool") if row.name == name]
        names += [row.get("next-pool") for row in pools if row.get("next-pool") not in names]
        texts += [part for row in pools for part in row.get("ranges").split(",")] or [name]
    return unique([text for text in texts if range_of(text)])


def unanswered(rows: Rows) -> list[Row]:
    """The rows that ask RADIUS, though no entry of /radius that is on is for their service.

    A part of an export shows no entries at all.
    """
    servers = rows.all_of("/radius")
    idle: list[Row] = []
    for menu, service in SERVICES.items() if servers else ():
        if not any(row.on and service in row.get("service").split(",") for row in servers):
            idle += [row for row in rows.of(menu) if row.says(RADIUS)]
    return idle


def of_unlimited_guests(rows: Rows) -> list[Row]:
    """The profiles of a hotspot's users that set no rate, or the hotspots where none is shown.

    None where RADIUS or a script may set one, a queue is for some of them, or the server's profile
    sets one for all.  A profile that no user has is no guest's, where users are shown.
    """
    limited = [row for row, _ in of_clients(rows) + scripted(rows)]
    for_all = any(row.menu.path == LOGINS for row in limited)
    if not rows.of(HOTSPOT) or for_all or rows.of(SIMPLE) or rows.of(TREE):
        return []
    users = [row.get("profile", "default") for row in rows.of(HOTSPOT + "/user")]
    trials = [row.get("trial-user-profile") for row in rows.of(LOGINS)]
    every = rows.of(GUESTS)
    usual = [row for row in every if row.get("default") == "yes" or row.name == "default"]
    free = [row for row in every if row not in limited
            and (not users or row.name in users + trials + ["default"])
            and (row not in usual or "default" in users)]  # fmt: skip
    return free or ([] if every else rows.of(HOTSPOT))


def of_one_device(rows: Rows) -> list[Row]:
    """The accounts of a hotspot that let one device in, where each has a profile of its own.

    Such accounts are for groups, as tickets share profiles.
    """
    accounts = [row for row in rows.of(HOTSPOT + "/user") if row.says("profile")]
    own = unique([row.get("profile") for row in accounts])
    if not rows.of(HOTSPOT) or len(accounts) < 2 or len(own) < len(accounts):
        return []
    alone = [row.name for row in rows.of(GUESTS) if row.get("shared-users", "1") == "1"]
    return [row for row in accounts if row.get("profile") in alone]


def of_tight_guests(rows: Rows) -> list[Row]:
    """The profiles of a hotspot's users, if each has a rate of TIGHT or less; RADIUS sets none.

    `512k/1M 1M/2M` has a burst of 2 Mbit/s.
    """
    every = [row for row in rows.of(GUESTS) if row.get("default") != "yes" or row.says(RATE)]
    rates = [max([bits_of(word.rpartition("/")[2]) for word in row.get(RATE).split(" ")[:2]])
             for row in every]  # fmt: skip
    asked = any(row.get(RADIUS) == "yes" for row in rows.of(LOGINS))
    tight = all(0 < rate <= TIGHT for rate in rates) and not asked
    return every if rows.of(HOTSPOT) and tight else []


def hurried(rows: Rows) -> list[Row]:
    """The entries of /radius whose server has less time than by default in any version."""
    return [row for row in rows.of("/radius")
            if 0 < milliseconds_of(row.get("timeout")) < LEAST_MS]  # fmt: skip


def limitless(rows: Rows) -> list[Row]:
    """The queues that limit nobody: no queue from the root to a leaf has a limit.

    Their priority decides nothing.  A type of one's own, such as CAKE, may, a type of RouterOS
    that was changed too, and a script that sets their limits at its time.  Graphs measure them.
    """
    changed = [row for row in rows.all_of(TYPES) if row.key != ADDED]
    if changed or rows.of(GRAPHS) or scripts.may_change(rows, "queue"):
        return []
    idle = _limitless_simple(rows) + _limitless_of_tree(rows)
    if not idle:
        return []
    off = [row for menu in (SIMPLE, TREE) for row in rows.all_of(menu) if not row.on]
    above = [row.get("parent") for row in off]  # of a queue that somebody may switch on
    tops = [row.name for row in unlimited_parents(rows)]  # a limit there gives them one
    return [row for row in idle if row.name not in above + tops and row.get("parent") not in tops]


def _limitless_simple(rows: Rows) -> list[Row]:
    """The simple queues without a limit, if none has one: the first that matches takes a packet.

    A client's own queue may hang below one of them, or stand behind it.
    """
    without = unanswered(rows)
    for menu, name in DYNAMIC_LIMITS:
        asking = [row for row in rows.of(menu) if name != RADIUS or row not in without]
        if any(row.get(name) not in OFF for row in asking):
            return []
    simple = rows.of(SIMPLE)
    return [] if any(limits(row) for row in simple) else simple


def _limitless_of_tree(rows: Rows) -> list[Row]:
    """Not those whose packets a queue with a limit would take from them."""
    every = list(branches(rows))
    limiting = [one for one in every if one.rows[0].get("queue") not in PLAIN
                or any(bits_of(above.get(name)) for above in one.rows for name in LIMITS)
                ]  # fmt: skip
    taken: dict[str, set[str]] = {}  # of each root, the marks of limited queues; "" for any
    for one in limiting:
        taken.setdefault(one.root, set()).update(one.marks or [""])
    used: set[int] = set()
    for one in every:
        marks = taken.get(one.root, set())
        if marks and (not one.marks or "" in marks or any(mark in marks for mark in one.marks)):
            used.update(id(row) for row in one.rows)
    return [row for row in rows.of(TREE) if id(row) not in used]


def below_disabled(rows: Rows) -> list[Row]:
    """The queues of the tree that no packet passes, as a queue above them is disabled."""
    passed = {id(row) for one in branches(rows) for row in one.rows}
    return [row for row in rows.of(TREE) if id(row) not in passed]


def of_trees(rows: Rows) -> list[tuple[Row, str]]:
    """The queues of the tree, each with who passes it: the CPU's packets, or only the slow ones."""
    fast = {id(row) for one in branches(rows) if one.word == CPU for row in one.rows}
    return [(row, CPU if id(row) in fast else SLOW) for row in rows.of(TREE)]


def of_global(rows: Rows) -> list[Row]:
    """The queues of the tree that hang from global, their children too, in their order."""
    hung = {id(row) for one in branches(rows) if one.root == GLOBAL for row in one.rows}
    return [row for row in rows.of(TREE) if id(row) in hung]


def of_marks(rows: Rows) -> list[Row]:
    """The leaves of the tree below interfaces that only packets with a mark of mangle pass."""
    return [one.rows[0] for one in branches(rows) if one.root != GLOBAL and one.word == SLOW]


def scripted(rows: Rows) -> list[tuple[Row, str]]:
    """The rows whose scripts make queues while the router runs, each with its property.

    The script may be a row of its own, which they run by its name.
    """
    return [(row, name) for row, name, text in scripts.run(rows)
            if scripts.does(text, (SIMPLE, TREE), ADDS + SWITCHES)]  # fmt: skip


def switched(rows: Rows, row: Row | None = None) -> list[Row]:
    """The simple queues that are off until a script switches them on; `row`: the script of a row.

    None where it adds others too, which nobody knows yet.
    """
    texts = [text for other, _, text in scripts.run(rows) if row is None or other is row]
    switching, adding = [
        any(scripts.does(text, (SIMPLE, TREE), verbs) for text in texts)
        for verbs in (SWITCHES, ADDS)
    ]
    if adding or not switching:
        return []
    return [one for one in rows.all_of(SIMPLE) if not one.on]


def bits_of(text: str) -> int:
    """`10M` or `10.0Mbps` as bits per second; 0 where it is no rate, or no limit."""
    text = text[: -len(BPS)] if text[-len(BPS) :] == BPS else text
    unit = UNITS.get(text[-1:], 0)
    digits = text[:-1] if unit else text
    whole, _, part = digits.partition(".")
    if not is_number(whole + part) or len(digits) > MOST_DIGITS:
        return 0
    return int(whole or "0") * (unit or 1) + int(int(part or "0") * (unit or 1) / 10 ** len(part))


def rate_words(rate: int) -> str:
    """`46 Mbit/s`."""
    for letter in ("G", "M", "k"):
        if rate >= UNITS[letter]:
            whole, rest = divmod(rate, UNITS[letter])
            decimal = str(rest * 10 // UNITS[letter])
            return str(whole) + ("." + decimal if decimal != "0" else "") + " " + letter + "bit/s"
    return str(rate) + " bit/s"


def limits(row: Row) -> bool:
    """Return True if a simple queue has a limit, or a type of its own."""
    types = row.get("queue").split("/") + [row.get("total-queue")]
    return any(name not in PLAIN for name in types) or any(
        bits_of(side) for name in SIMPLE_LIMITS for side in row.get(name).split("/")
    )


def limits_as(now: str, was: str) -> bool:
    """Return True if rates such as 10M/50M limit at least as much as others did."""
    if now == was:
        return True
    pairs = list(zip(now.split("/"), was.split("/"), strict=False))
    if len(now.split("/")) != len(was.split("/")):
        return False
    rates = [(bits_of(one), bits_of(other)) for one, other in pairs]
    return all(0 < one <= other for one, other in rates)
