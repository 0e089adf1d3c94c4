"""The shapes in which a router prints rows: tables under a head, `name=value` rows, the profile.

The heads of the tables are where the columns are cut.  The manual prints such outputs on the pages
Interface stats and monitor-traffic, Profiler, and Common Firewall Matchers and Actions (read
2026-11); RouterOS 6 and 7 differ in the head and in where a comment stands.
"""

from __future__ import annotations

from ppslab.theory.packet_path.exports.reading import plain, split

HEADS = {
    "ports": ("INTERFACE", "BRIDGE"),
    "interfaces": ("NAME", "TYPE"),
    "profile": ("NAME", "USAGE"),
    "stats": ("CHAIN", "ACTION", "PACKETS"),
}
"""Words by which the head of a table is known, with or without the command above it."""

COMMENT = ";;;"
DIGITS = "0123456789"
LONGEST = 20
"""Digits of a counter of 64 bits."""

IDLE = "idle"
TOTAL = "total"


def head(line: str) -> str:
    """Which table a line is the head of; empty: of none."""
    words = line.split()
    if ":" in line or "=" in line:
        return ""
    for name, wanted in HEADS.items():
        if all(word in words for word in wanted):
            return name
    return ""


def amount(text: str) -> int | None:
    """`48 211 934` as a number; None where it is none."""
    digits = text.replace(" ", "")
    fits = 0 < len(digits) < LONGEST and all(digit in DIGITS for digit in digits)
    return int(digits) if fits else None


def share(text: str) -> float | None:
    """`97.5%` as a number; None where it is none."""
    number = text[:-1]
    digits = amount(number.replace(".", "", 1)) if text[-1:] == "%" else None
    return None if digits is None else float(number)


class Table:
    """Rows under a head.  The first two columns of `wanted` are read, where the head has them."""

    def __init__(self, line: str, wanted: tuple[str, ...]) -> None:
        self._first = line.find(wanted[0])
        self._second = line.find(wanted[1])
        after = line[self._second + len(wanted[1]) :]
        self._third = len(line) - len(after.lstrip(" ")) if after.strip(" ") else 0
        self._flags: str | None = None  # of a row whose comment stands in its own line

    def row(self, line: str) -> tuple[str, str, str] | None:
        """The flags of a row and its first two cells; None: no row, or one that is cut askew."""
        front = line[: self._first].split()
        name = line[self._first : self._second].strip(" ")
        if name.startswith(COMMENT):
            self._flags = "".join(front[1:])
            return None
        flags = self._flags
        if front and front[0].isdigit():
            flags = "".join(front[1:])
        elif front or flags is None:
            return None
        self._flags = None
        edges = line[self._first - 1 : self._first] + line[self._second - 1 : self._second]
        second = line[self._second : self._third or len(line)].strip(" ")
        if not name or edges.strip(" ") or not second:
            return None
        return flags, name, second.split(" ")[0]


class Details:
    """Rows as `print detail` has them: `0 R name="ether1" mtu=1500`, over several lines."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, str, dict[str, str]]] = []
        """The line that each begins on, its flags and its values."""

    def take(self, line: str, number: int) -> bool:
        """Take a line; False where it is none of a row."""
        words, _ = split(line)
        if words and words[0].isdigit() and "=" not in words[0]:
            flags = []
            for word in words[1:]:
                if "=" in word or word == COMMENT:
                    break
                flags.append(word)
            self.rows.append((number, "".join(flags), {}))
            words = words[1 + len(flags) :]
        elif not self.rows:
            return False
        values = self.rows[-1][2]
        last = ""
        for word in words:
            name, equals, value = word.partition("=")
            if word == COMMENT:
                break
            if equals and name.replace("-", "").isalpha():
                values[name] = plain(value)
                last = name
            elif last and word.isdigit() and amount(values[last]) is not None:
                values[last] += word  # 1 473 603, in groups of three
        return True


def stats_row(line: str) -> tuple[str, int] | None:
    """The action and the packets of a row of `print stats`; None: no row.

    Columns stand two spaces apart, groups of digits one.
    """
    cells = [cell.strip(" ") for cell in line.split("  ") if cell.strip(" ")]
    if len(cells) < 4 or any(cell.startswith(COMMENT) for cell in cells):
        return None
    packets = amount(cells[-1])
    if packets is None or amount(cells[-2]) is None:
        return None
    return cells[-3].split(" ")[-1], packets


class Profile:
    """`/tool/profile`: of each core, or of all together; of several frames the last whole one."""

    def __init__(self) -> None:
        self.cores: dict[str, float] = {}
        self.all: float | None = None
        self._ended = False
        self._total = False

    def head(self) -> None:
        """Another frame begins: the tool prints one after the other."""
        self._ended = True

    def take(self, line: str) -> bool:
        """Take a line; False where it is none of the table."""
        words = line.split()
        used = share(words[-1]) if len(words) in (2, 3) else None
        if used is None:
            return False
        if self._ended:
            self.cores, self.all, self._ended, self._total = {}, None, False, False
        core = words[1] if len(words) == 3 else ""
        if core.isdigit():
            busy = 0.0 if words[0] == IDLE else used
            self.cores[core] = self.cores.get(core, 0.0) + busy
        elif words[0] == TOTAL:
            self.all, self._total = used, True
        elif not self._total and not self._of_core(words[0]) and words[0] != IDLE:
            self.all = (self.all or 0.0) + used
        return True

    def _of_core(self, name: str) -> bool:
        """Whether a row sums up one core: `cpu0`."""
        return name.startswith("cpu") and name[3:].isdigit()
