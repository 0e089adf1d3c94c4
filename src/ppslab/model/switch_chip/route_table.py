"""A table of routes: its lines, its runs of prefixes, and which of them a switch chip holds.

The rule by which a table is filled, and its source, are in offload.py.  MicroPython runs this in
pages: no dataclasses.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rosexplain.addresses import packed, plain

# ------------------------------------------------------------------------------------------------
# A line of a table, as `ip route` or RouterOS prints or takes it: prefix and next hops (routes.py
# says what a file of them may have).

BITS = {4: 32, 6: 128}
NEITHER = ("unreachable", "prohibit", "throw")


class Run:
    """So many prefixes of one length in a row, from `address` on.

    `family` 4 or 6, `address` as a number, `length` in bits.  `kind`: forward to one of `hops`
    (gateways, or an interface's name), blackhole (dropped in silence), or cpu (whatever a chip
    cannot do by itself, such as an answer with ICMP).
    """

    def __init__(
        self,
        prefix: tuple[int, int, int],
        count: int,
        kind: str,
        hops: tuple[str, ...],
    ) -> None:
        self.family, self.address, self.length = prefix
        self.count = count
        self.kind = kind
        self.hops = hops

    @property
    def step(self) -> int:
        """Number of addresses of one of the prefixes."""
        return 1 << (BITS[self.family] - self.length)

    @property
    def end(self) -> int:
        """The address behind the last prefix."""
        return self.address + self.count * self.step

    def prefixes(self) -> list[tuple[int, int, int]]:
        """Each of them: family, address, length."""
        starts = range(self.address, self.end, self.step)
        return [(self.family, start, self.length) for start in starts]


def prefix_text(family: int, address: int, length: int) -> str:
    return plain(address.to_bytes(BITS[family] // 8, "big")) + f"/{length}"


def prefix(text: str) -> tuple[int, int, int]:
    """Family, address as a number, and length; ValueError where the text is no prefix.

    >>> prefix("198.19.0.0/16")
    (4, 3323133952, 16)
    """
    address, _, length = text.partition("/")
    try:
        number = int.from_bytes(packed(address), "big")
        bits = int(length) if length else -1
    except ValueError:
        raise ValueError(f"'{text}' is not a prefix") from None
    family = 6 if ":" in address else 4
    bits = BITS[family] if bits < 0 else bits
    if bits > BITS[family]:
        raise ValueError(f"'{text}': an IPv{family} prefix has at most {BITS[family]} bits")
    rest = (1 << (BITS[family] - bits)) - 1
    if number & rest:
        right = prefix_text(family, number & ~rest, bits)
        raise ValueError(f"'{text}' has bits set after its length: do you mean {right}?")
    return family, number, bits


def run_of(line: str, most: int) -> Run | None:
    """The prefixes of a line; None where it has none by right: a comment, a menu, what is off.

    `most`: how many there may be.  ValueError says what is wrong with the line.
    """
    words = line.partition("#")[0].split()
    if not words or words[0].startswith(("Flags", "Columns", "DST-ADDRESS")):
        return None
    place = place_of(words)
    if place is None:
        if words[0].startswith("/"):
            return None  # a menu of an export
        raise ValueError(
            f"no prefix in '{line.strip()}': write one route per line, as `ip route` or "
            "/ip/route/print prints them, or a whole /export"
        )
    if "disabled=yes" in words or any(_off(word) for word in words[:place]):
        return None
    start = prefix(prefix_word(words[place]) or "")
    count = times(words[place + 1]) if len(words) > place + 1 else None
    count = count or 1
    kind, hops = _way(words, place)
    if "default" in words and any(":" in hop for hop in hops):
        start = (6, 0, 0)
    made = Run(start, count, kind, hops)
    if count > most or made.end > 1 << BITS[made.family]:
        shown = prefix_text(made.family, made.address, made.length)
        raise ValueError(f"{shown} x{count}: there are not that many")
    return made


def _off(word: str) -> bool:
    """True for flags of RouterOS's print that say disabled (X) or inactive (I)."""
    return word.isalpha() and ("X" in word or "I" in word)


def place_of(words: list[str]) -> int | None:
    """Place of the destination: the first word that is a prefix."""
    for place, word in enumerate(words):
        if prefix_word(word) is not None:
            return place
    return None


def prefix_word(word: str) -> str | None:
    """The prefix in a word of a line; None where the word has none."""
    named = word[12:] if word.startswith("dst-address=") else word
    if named == "default":
        return "0.0.0.0/0"
    if named.startswith('"'):
        named = named[1:]
    if named.endswith('"'):
        named = named[:-1]
    address, slash, length = named.partition("/")
    if slash and not (1 <= len(length) <= 3 and length.isdigit()):
        return None
    if not all(letter in "0123456789abcdefABCDEF.:" for letter in address):
        return None
    return named if "." in address or ":" in address else None


def times(word: str) -> int | None:
    """`x4` as 4; None for any other word."""
    digits = word[1:]
    return int(digits) if word[:1] == "x" and digits.isdigit() and digits[0] != "0" else None


def _way(words: list[str], place: int) -> tuple[str, tuple[str, ...]]:
    if "blackhole" in words or "blackhole=yes" in words:
        return "blackhole", ()
    if words[0] in NEITHER or "suppress-hw-offload=yes" in words:
        return "cpu", ()
    hops = [words[i + 1] for i, word in enumerate(words[:-1]) if word == "via"]
    for word in words:
        if word.startswith("gateway="):
            hops += [hop for hop in word[8:].strip('"').split(",") if hop]
    if not hops and "dev" in words[:-1]:
        hops = [words[words.index("dev") + 1]]
    if not hops:
        hops = _printed_gateway(words[place + 1 : place + 2])
    return "forward", tuple(hops)


def _printed_gateway(behind: list[str]) -> list[str]:
    """The column behind the destination in RouterOS's print: an address or an interface."""
    try:
        for word in behind:
            packed(word.partition("%")[0])
    except ValueError:
        return []
    return behind


# ------------------------------------------------------------------------------------------------
# Runs of prefixes: a table of a hundred thousand routes is a few of them.


def sized(runs: list[Run], part: int, parts: int) -> list[Run]:
    """The first `part` of `parts` of the prefixes, in the order in which they are written."""
    left = sum([run.count for run in runs]) * part // parts
    made: list[Run] = []
    for run in runs:
        count = min(run.count, left)
        if count:
            made.append(Run((run.family, run.address, run.length), count, run.kind, run.hops))
        left -= count
    return made


def apart(runs: list[Run]) -> list[Run]:
    """The same without what was said before (of the same prefix the first counts), as they stay."""
    made: list[Run] = []
    for run in runs:
        pieces = [run]
        for before in made:
            if before.family == run.family and before.length == run.length:
                pieces = [piece for one in pieces for piece in _without(one, before)]
        made += pieces
    return sorted(made, key=lambda run: stays(run.family, run.length, run.address))


def _without(run: Run, other: Run) -> list[Run]:
    """Rest of a row of prefixes where another of the same length has some of them."""
    if other.end <= run.address or run.end <= other.address:
        return [run]
    made: list[Run] = []
    for start, end in ((run.address, other.address), (other.end, run.end)):
        if end > start:
            count = (end - start) // run.step
            made.append(Run((run.family, start, run.length), count, run.kind, run.hops))
    return made


# ------------------------------------------------------------------------------------------------
# The prefixes that a chip's table holds, and the share of a network that the CPU is left with.


def stays(family: int, length: int, address: int) -> tuple[int, int, int]:
    """Sort key of prefixes: those that stay longest in a full table come first."""
    return -length, family, address


def fill(
    runs: list[tuple[int, int]], takes: tuple[int, int], room: int, used: int, ipv6_hw: bool
) -> tuple[list[int], int]:
    """Number of prefixes of each run in the table, and how much of its room is then used.

    `runs`: family and count, sorted by `stays`; `takes`: the room of an IPv4 and of an IPv6
    prefix; `used`: what is used before.
    """
    held: list[int] = []
    full = False
    for family, count in runs:
        if family == 6 and not ipv6_hw:
            held.append(0)
            continue
        each = takes[0] if family == 4 else takes[1]
        # The first that does not fit ends it, for both families: a shorter one may hold it.
        fits = 0 if full else min(count, (room - used) // each)
        full = full or fits < count
        used += fits * each
        held.append(fits)
    return held, used


def choose(
    routes: Iterable[Any], takes: tuple[int, int], room: tuple[int, int], ipv6_hw: bool
) -> tuple[list[Any], list[Any], int]:
    """The routes in the table, those left to the CPU, and how much of its room is then used.

    `routes`: anything with a `prefix` of family, address and length; of those with the same one the
    first counts.  `takes`: the room of an IPv4 and of an IPv6 prefix; `room`: all of it, and what
    is used before.
    """
    first: dict[Any, Any] = {}
    for route in routes:
        first.setdefault(tuple(route.prefix), route)
    known = sorted(first, key=lambda each: stays(each[0], each[2], each[1]))
    held, used = fill([(each[0], 1) for each in known], takes, room[0], room[1], ipv6_hw)
    hardware: list[Any] = []
    cpu: list[Any] = []
    for at, each in enumerate(known):
        (hardware if held[at] else cpu).append(first[each])
    return hardware, cpu, used


def share_of_cpu(intervals: list[tuple[int, int, int, bool]], start: int, end: int) -> float:
    """The share of the addresses from `start` to `end` whose packets the CPU routes, 0 to 1.

    An interval: first address, the one behind the last, prefix length, whether the chip can follow
    the route; those of one length do not overlap.  Exact, whatever lies in what: a packet goes to
    the CPU where nothing in the table holds its address, or where the longest prefix is one that
    the chip cannot follow.
    """
    changes: list[tuple[int, int, bool, bool]] = []
    for low, high, length, follows in intervals:
        first, behind = max(low, start), min(high, end)
        if first < behind:
            changes.append((first, length, True, follows))
            changes.append((behind, length, False, follows))
    # At one address the ends come before the beginnings: the next of a row begins where one ends.
    changes.sort(key=lambda change: (change[0], change[2]))
    lengths = sorted({change[1] for change in changes}, reverse=True)
    place = {length: index for index, length in enumerate(lengths)}
    # By place of the length: 0 nothing there, 1 the CPU, 2 the chip.
    there = [0] * len(lengths)
    by_chip, at, top = 0, start, len(lengths)
    for address, length, begins, follows in changes:
        if top < len(lengths) and there[top] == 2:
            by_chip += address - at
        at = address
        index = place[length]
        there[index] = (2 if follows else 1) if begins else 0
        if begins:
            top = min(top, index)
        while top < len(lengths) and not there[top]:
            top += 1
    return 1 - by_chip / (end - start)


# ------------------------------------------------------------------------------------------------
# A chip that holds indexes of the address range, not prefixes.
#
# MikroTik's manual (`l3hw-indexes`): routes that go the same way as the default route above them
# cost next to nothing, so any number of them fits; each gap, and each route that goes another way,
# costs.  How many fit then no number of routes tells; the manual shows one worst case.

JOINED = "joined"
NO_DEFAULT = "no-default"
OTHER_WAYS = "other-ways"


def decides(routes: list[tuple[int, tuple[str, ...], int]]) -> tuple[str, int]:
    """The case of a family's routes, one of three, and the number of those that go another way.

    Each of `routes`: prefix length, next hops, and how many such there are.
    """
    default = [hops for length, hops, _ in routes if length == 0 and hops]
    if not default:
        return NO_DEFAULT, sum([count for _, _, count in routes])
    ways = sorted(default[0])
    other = sum([count for _, hops, count in routes if sorted(hops) != ways])
    return (OTHER_WAYS if other else JOINED), other
