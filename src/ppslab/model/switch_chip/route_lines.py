"""A line of a table of routes, as `ip route` or RouterOS prints or takes it: prefix and next hops.

This is the grammar of routes.py, which says what a file of them may have.
"""

from __future__ import annotations

from rosexplain.addresses import packed, plain

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
        """How many addresses one of the prefixes has."""
        return 1 << (BITS[self.family] - self.length)

    @property
    def end(self) -> int:
        """The address behind the last prefix."""
        return self.address + self.count * self.step

    def prefixes(self) -> list[tuple[int, int, int]]:
        """Each of them: family, address, length."""
        starts = range(self.address, self.end, self.step)
        return [(self.family, start, self.length) for start in starts]

    def text(self) -> str:
        """`198.19.0.0/30 x8192`."""
        shown = prefix_text(self.family, self.address, self.length)
        return shown if self.count == 1 else f"{shown} x{self.count}"


def prefix_text(family: int, address: int, length: int) -> str:
    """A prefix as it is written."""
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
    """Whether these are flags of RouterOS's print that say disabled (X) or inactive (I)."""
    return word.isalpha() and ("X" in word or "I" in word)


def place_of(words: list[str]) -> int | None:
    """Where the destination stands: the first word that is a prefix."""
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
