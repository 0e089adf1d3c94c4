"""The queues of a router: which packets pass one of the tree, by which marks, and its rates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from rosexplain import scripts
from rosexplain.network import NO_MARK
from rosexplain.rows import ADDED, Row, Rows
from rosexplain.selection import is_number

ALWAYS, CPU, SLOW = "always", "cpu", "slow"
"""The words of a rule's `limits`: every packet meets it, the CPU's do, those of the slow path."""

SIMPLE, TREE = "/queue/simple", "/queue/tree"
GLOBAL = "global"
MOST_ABOVE = 64
"""Queues above a leaf; parents that go round in a ring end too."""

MOST_DIGITS = 15
UNITS = {"k": 1000, "M": 1000_000, "G": 1000_000_000}
BPS = "bps"

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
    return [mark for mark in value.lstrip("!").split(",") if mark]


def marks_of(
    rows: Rows, properties: tuple[tuple[str, str], ...], but: list[Row] | None = None
) -> set[str]:
    """The marks that these properties name anywhere; `but`: rows that do not count."""
    return {mark for menu, name in properties for row in rows.of(menu) if row not in (but or [])
            for mark in marks_in(row.get(name))}  # fmt: skip


def of_nobody(rows: Rows) -> list[Row]:
    """The queues for packets with marks that no rule sets."""
    known = {NO_MARK} | marks_of(rows, SET_BY["packet"])
    own = [(row, marks_in(row.get(name))) for menu, name in READ_BY["packet"][-2:]
           for row in rows.of(menu)]  # fmt: skip
    return [row for row, marks in own if marks and not known.intersection(marks)]


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
DYNAMIC_LIMITS = (("/ppp/profile", "rate-limit"), ("/ip/hotspot/user/profile", "rate-limit"),
                  ("/ip/hotspot/profile", "rate-limit"),
                  ("/ip/dhcp-server/lease", "rate-limit"), ("/ppp/aaa", "use-radius"),
                  ("/ip/hotspot/profile", "use-radius"),
                  ("/ip/dhcp-server", "use-radius"))  # fmt: skip
"""Where clients get simple queues of their own, which no export shows."""
TYPES, GRAPHS = "/queue/type", "/tool/graphing/queue"


def limitless(rows: Rows) -> list[Row]:
    """The queues that limit nobody: no queue from the root to a leaf has a limit.

    Their priority decides nothing.  A type of one's own, such as CAKE, may, a type of RouterOS
    that was changed too, and a script that sets their limits at its time.  Graphs measure them.
    """
    changed = [row for row in rows.all_of(TYPES) if row.key != ADDED]
    if changed or rows.of(GRAPHS) or scripts.may_change(rows, "queue"):
        return []
    off = [row for menu in (SIMPLE, TREE) for row in rows.all_of(menu) if not row.on]
    above = [row.get("parent") for row in off]  # of a queue that somebody may switch on
    idle = _limitless_simple(rows) + _limitless_of_tree(rows)
    return [row for row in idle if row.name not in above]


def _limitless_simple(rows: Rows) -> list[Row]:
    """The simple queues without a limit, if none has one: the first that matches takes a packet.

    A client's own queue may hang below one of them, or stand behind it.
    """
    for menu, name in DYNAMIC_LIMITS:
        if any(row.get(name) not in OFF for row in rows.of(menu)):
            return []
    simple = rows.of(SIMPLE)
    for row in simple:
        types = row.get("queue").split("/") + [row.get("total-queue")]
        if any(name not in PLAIN for name in types):
            return []
        if any(bits_of(side) for name in SIMPLE_LIMITS for side in row.get(name).split("/")):
            return []
    return simple


def _limitless_of_tree(rows: Rows) -> list[Row]:
    limiting = {
        id(row)
        for one in branches(rows)
        if one.rows[0].get("queue") not in PLAIN
        or any(bits_of(above.get(name)) for above in one.rows for name in LIMITS)
        for row in one.rows
    }
    return [row for row in rows.of(TREE) if id(row) not in limiting]


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


def limits_as(now: str, was: str) -> bool:
    """Return True if rates such as 10M/50M limit at least as much as others did."""
    if now == was:
        return True
    pairs = list(zip(now.split("/"), was.split("/"), strict=False))
    if len(now.split("/")) != len(was.split("/")):
        return False
    rates = [(bits_of(one), bits_of(other)) for one, other in pairs]
    return all(0 < one <= other for one, other in rates)
