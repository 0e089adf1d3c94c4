"""A router's output as further evidence: settings, counters, tables, its profile."""

from __future__ import annotations

from typing import Any

from rosexplain import menu_words, parse
from rosexplain.parse import Command, Export, Unread, plain, split
from rosexplain.rows import Row, Rows, rows_of
from rosexplain.secrets import STRUCK, struck_word
from rosexplain.selection import is_number

PRINTED = "/printed"
"""The menu under which is kept what a router said and no export has."""

NEITHER = "count"
"""The mark of a sentence that speaks neither for a fast path nor against one."""


class Printed:
    """A router's output.  `commands`: rows; `seen`: sentences; `unread`: the rest, with reasons."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.commands: list[Command] = []
        self.seen: list[dict[str, Any]] = []
        self.unread: list[Unread] = []

    def tell(
        self,
        what: str,
        value: str,
        number: int,
        fast: bool | None,
        tells: str = "",
        family: int = 0,
    ) -> None:
        """Keep a sentence; `fast`: for what it speaks, None: for neither.

        `tells`: of what, where an answer can be held against it.
        """
        speaks = NEITHER if fast is None else "for" if fast else "against"
        self.seen.append({"what": what, "value": value, "file": self.file, "line": number,
                          "speaks": speaks, "tells": tells, "family": family})  # fmt: skip

    def put(
        self, number: int, menu: str, verb: str, name: str = "", value: str = "", about: str = ""
    ) -> None:
        """Keep a row as an export's command."""
        command = Command(self.file, number, number, menu, verb)
        if name:
            command.properties[name] = value
            command.names.append(name)
        if about:
            command.selected.append(about)
        self.commands.append(command)

    def miss(self, number: int, begins: str, why: str) -> None:
        """Keep that a line was not read."""
        self.unread.append(Unread(self.file, number, begins, why))


def news(exports: list[Export], commands: list[Command]) -> list[Command]:
    """Return the commands that the exports lack: an export's line decides, not its echo."""
    rows = rows_of(exports) if commands else Rows()
    return [command for command in commands if not _echo(rows, command)]


def _echo(rows: Rows, command: Command) -> bool:
    """Return True if the exports set the same value for what a command sets."""
    row = _row(rows, command) if command.command == "set" else None
    names = command.names
    return row is not None and all(
        row.says(name) and row.get(name) == command.properties[name] for name in names
    )


def _row(rows: Rows, command: Command) -> Row | None:
    if not command.selected:
        return rows.single(command.menu)
    name, equals, value = command.selected[0].strip("[]").replace("find ", "", 1).partition("=")
    menu = rows.menus.get(command.menu)
    matches = menu.with_value(name, plain(value)) if menu and equals else []
    return matches[0] if matches else None


# The heads of the tables are where the columns are cut.  The manual prints such outputs on the
# pages Interface stats and monitor-traffic, Profiler, and Common Firewall Matchers and Actions
# (read 2026-11); RouterOS 6 and 7 differ in the head and in where a comment stands.

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
    """Return the table that a line is the head of; empty: of none."""
    words = line.split()
    if ":" in line or "=" in line:
        return ""
    for name, columns in HEADS.items():
        if all(word in words for word in columns):
            return name
    return ""


def counter(text: str) -> int | None:
    """`48 211 934` as a number; None where it is none."""
    digits = text.replace(" ", "")
    fits = 0 < len(digits) <= LONGEST and all(digit in DIGITS for digit in digits)
    return int(digits) if fits else None


def share(text: str) -> float | None:
    """`97.5%` as a number; None where it is none."""
    number = text[:-1]
    digits = counter(number.replace(".", "", 1)) if text[-1:] == "%" else None
    return None if digits is None else float(number)


class Table:
    """Rows under a head.  The first two columns of `wanted` are read, where the head has them."""

    def __init__(self, line: str, columns: tuple[str, ...]) -> None:
        self._first = line.find(columns[0])
        self._second = line.find(columns[1])
        after = line[self._second + len(columns[1]) :]
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
        if front and is_number(front[0]):
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
        if words and is_number(words[0]) and "=" not in words[0]:
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
            elif last and is_number(word) and counter(values[last]) is not None:
                values[last] += word  # 1 473 603, in groups of three
        return True


def stats_row(line: str) -> tuple[str, int] | None:
    """The action and the packets of a row of `print stats`; None: no row.

    Columns stand two spaces apart, groups of digits one.
    """
    cells = [cell.strip(" ") for cell in line.split("  ") if cell.strip(" ")]
    if len(cells) < 4 or any(cell.startswith(COMMENT) for cell in cells):
        return None
    packets = counter(cells[-1])
    if packets is None or counter(cells[-2]) is None:
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
        of_core = words[0][:3] == "cpu" and is_number(words[0][3:])  # the sum of one: `cpu0`
        if is_number(core):
            busy = 0.0 if words[0] == IDLE else used
            self.cores[core] = self.cores.get(core, 0.0) + busy
        elif words[0] == TOTAL:
            self.all, self._total = used, True
        elif not self._total and not of_core and words[0] != IDLE:
            self.all = (self.all or 0.0) + used
        return True


VERBS = ("print", "profile", "monitor", "monitor-traffic", "getall", "export")

PORTS = "/interface/bridge/port"
BRIDGES = "/interface/bridge"
INTERFACES = "/interface"
FILTERS = {"/ip/firewall/filter": 4, "/ipv6/firewall/filter": 6}
"""The menus of the filter, and the family of each."""

VALUES, COUNT, TABLE, DETAIL, STATS, PROFILE, NOTHING = (
    "values", "count", "table", "detail", "stats", "profile", "nothing"
)  # fmt: skip
"""The shapes of what is printed; NOTHING: none that is read here."""


class PrintCommand:
    """A command in its parts: `/interface/print count-only where type=pppoe-in`."""

    def __init__(self, text: str) -> None:
        pieces: list[str] = []
        self.verb = ""
        self.words: list[str] = []
        tokens = text.split()
        for index in range(len(tokens)):
            if "=" in tokens[index]:
                break
            for piece in tokens[index].split("/"):
                if piece in VERBS:
                    self.verb = piece
                elif piece:
                    pieces.append(piece)
            if self.verb:
                self.words = tokens[index + 1 :]
                break
        self.menu = "/" + "/".join(pieces)

    @property
    def shape(self) -> str:
        """The shape of what it prints."""
        if self.verb == "profile":
            return PROFILE
        if self.verb not in ("", "print"):
            return NOTHING
        if "count-only" in self.words:
            return COUNT
        if self.menu in KEPT:
            return VALUES
        if any(word.startswith("proplist=") or word == "brief" for word in self.words):
            return NOTHING
        if self.menu in FILTERS and "stats" in self.words:
            return STATS
        if self.menu == BRIDGES or (self.menu == INTERFACES and "stats-detail" in self.words):
            return DETAIL
        plain = not any(word in ("detail", "stats") for word in self.words)
        return TABLE if plain and self.menu in (PORTS, INTERFACES) else NOTHING


def readable(command: str) -> bool:
    """Return True if --print takes the output of a command that an answer names."""
    return PrintCommand(command).shape != NOTHING


def of_prompt(line: str) -> str | None:
    """The command of a line with a prompt, or of one that begins with a slash; None: no such line.

    `[admin@MikroTik] /ip/settings> print` is one of /ip/settings; a bare prompt is one of nothing.
    """
    if line.startswith("/"):
        return line
    if line.startswith("> /"):
        return line[2:]  # copied without the prompt's name
    _, bracket, rest = line.partition("] ")
    if not bracket:
        return None
    menu, arrow, command = rest.partition(">")
    menu, command = menu.strip(" "), command.strip(" ")
    if not arrow or (menu and menu[0] != "/"):
        return None
    return command if not menu or command.startswith("/") else menu + "/" + command


# The names are those of the recordings in tests/support/doubles (routeros_shapes.py).

SETTINGS = {
    "ipv4-fast-path-active": ("fast-path", 4, "The IPv4 fast path"),
    "ipv4-fasttrack-active": ("fasttrack", 4, "IPv4 FastTrack"),
    "ipv6-fast-path-active": ("fast-path", 6, "The IPv6 fast path"),
    "ipv6-fasttrack-active": ("fasttrack", 6, "IPv6 FastTrack"),
    "bridge-fast-path-active": ("bridge-fast-path", 0, "The bridge's fast path"),
}
"""The subject of each, its family, and its name in words."""

COUNTERS = {
    "ipv4-fast-path-packets": ("", 4), "ipv4-fasttrack-packets": ("fasttrack", 4),
    "ipv6-fast-path-packets": ("", 6), "ipv6-fasttrack-packets": ("fasttrack", 6),
    "bridge-fast-path-packets": ("", 0), "bridge-fast-forward-packets": ("", 0),
    "fp-rx-packet": ("", 0), "fp-tx-packet": ("", 0),
}  # fmt: skip
"""Counters, what each tells of and for which family."""

KEPT = {
    "/ip/settings": ("allow-fast-path", "route-cache"),
    "/ipv6/settings": ("allow-fast-path", "disable-ipv6"),
    "/interface/bridge/settings": ("allow-fast-path", "use-ip-firewall"),
    "/ip/firewall/connection/tracking": ("enabled",),
    "/tool/sniffer": ("running",),
    "/tool/traffic-generator": ("running",),
}
"""Settings that are kept as an export's, by their menu: one without rows, `name: value` a line."""

OWN = {
    "/ip/settings": ("ip-forward", "rp-filter", "tcp-syncookies", "route-cache"),
    "/ipv6/settings": ("disable-ipv6", "accept-router-advertisements"),
    "/interface/bridge/settings": ("use-ip-firewall", "use-ip-firewall-for-vlan"),
    "/ip/firewall/connection/tracking": ("tcp-established-timeout", "udp-stream-timeout"),
    "/tool/sniffer": ("filter-interface", "streaming-server", "memory-scroll"),
}
"""Properties that one menu has and no other, by which lines without a prompt are known."""

PREFIXES = {"ipv4-": "/ip/settings", "ipv6-": "/ipv6/settings",
            "bridge-fast-": "/interface/bridge/settings"}  # fmt: skip

WORDS = {"true": "yes", "false": "no"}
NO_COMMAND = "the command is missing: paste the line with the prompt too"


def menu_of(values: list[tuple[str, str, int]]) -> str:
    """The one menu that has these properties; empty where several have them."""
    for name, _, _ in values:
        for menu, own in OWN.items():
            if name in own:
                return menu
        for prefix, menu in PREFIXES.items():
            if name.startswith(prefix):
                return menu
    return ""


def take(into: Printed, menu: str, values: list[tuple[str, str, int]]) -> int:
    """Keep what they say; how many of them were understood, or are told as not read."""
    read = 0
    for name, value, number in values:
        if _setting(into, menu, name, WORDS.get(value, value), number):
            read += 1
        elif any(name in names for names in KEPT.values()):
            into.miss(number, name, "several menus have it: " + NO_COMMAND)
            read += 1
    return read


def _setting(into: Printed, menu: str, name: str, value: str, number: int) -> bool:
    if name in SETTINGS:
        tells, family, what = SETTINGS[name]
        fast = value == "yes"
        into.tell(what, "open" if fast else "closed", number, fast, tells, family)
        if tells == "fast-path":
            into.put(number, PRINTED, "set", "active-" + str(family), "yes" if fast else "no")
    elif name in COUNTERS and counter(value) is not None:
        tells, family = COUNTERS[name]
        into.tell(name, value, number, bool(counter(value)), tells, family)
    elif name in KEPT.get(menu, ()) and value in ("yes", "no", "auto"):
        into.put(number, menu, "set", name, value)
    else:
        return bool(menu)
    return True


# The text is that of the terminal, with or without its prompts.  Values become rows as those of an
# export; counters become sentences; what could not be read is kept with the reason.

DYNAMIC = {"/queue/simple": "queues", "/ip/ipsec/policy": "policies"}
"""Menus whose dynamic rows are counted: none of them, or some that no export shows."""

BRIDGE_WORDS = ("dhcp-snooping", "vlan-filtering", "fast-forward", "auto-mac")

MENUS = {"ether": "/interface/ethernet", "bridge": "/interface/bridge", "vlan": "/interface/vlan",
         "bond": "/interface/bonding", "eoip": "/interface/eoip", "wg": "/interface/wireguard",
         "pppoe-out": "/interface/pppoe-client", "vxlan": "/interface/vxlan",
         "gre-tunnel": "/interface/gre", "ipip-tunnel": "/interface/ipip"}  # fmt: skip
"""The menu of each type of interface that /interface/print names."""

TYPES = ("bond", "cap", "ether", "l2tp", "loopback", "ovpn", "ppp", "pppoe", "pptp", "sstp", "wds",
         "wg", "wlan")  # fmt: skip
"""Other types, beside those that are called as their menu; before `-in`, `-out` or `-tunnel`."""

FULL = 90.0
"""Per cent of one core beyond which it is the limit."""

NOT_YET = "the output of this command cannot be read yet"
NOT_THIS = "unknown output: paste what the router printed, with its prompt"


def read(text: str, file: str) -> Printed:
    """The rows that a router's output comes to, and what it says beside; nothing is refused."""
    into = Printed(file)
    output = Output(into, None, 0)
    number = 0
    lines = text.replace("\r", "").replace("\t", " ").split("\n", parse.MOST_LINES)
    for line in lines[: parse.MOST_LINES]:
        number += 1
        command = of_prompt(line.strip(" "))
        blank = not line.strip(" ") and output.command is None
        if command is None and not blank:
            output.take(line, number)
            continue
        output.end()
        output = Output(into, PrintCommand(command) if command else None, number)
    output.end()
    if len(lines) > parse.MOST_LINES:
        left = str(lines[-1].count("\n") + 1)
        into.miss(number + 1, "", "not read: this line and all behind it, " + left + " in all")
    return into


def _is_type(word: str) -> bool:
    """Return True if a word is a type of interfaces: any other may be a part of a name."""
    base = word
    for end in ("-in", "-out", "-tunnel"):
        if word.endswith(end):
            base = word[: -len(end)]
    return base in TYPES or menu_words.is_word(base)


class Output:
    """The output of one command, or lines of which no command is known."""

    def __init__(self, into: Printed, command: PrintCommand | None, number: int) -> None:
        self.into = into
        self.command = command
        self.number = number
        self.shape = command.shape if command else ""
        self.values: list[tuple[str, str, int]] = []
        self.table = ""
        self.rows: Table | None = None
        self.details = Details()
        self.profile = Profile()
        self.lines = 0
        self.stats = -1
        self.ports = [0, 0]
        self.kinds: dict[str, list[int]] = {}
        self.read = 0
        self.first = 0

    def take(self, line: str, number: int) -> None:
        """Take a line."""
        stripped = line.strip(" ")
        if not stripped or stripped.startswith("Flags:") or stripped.startswith("Columns:"):
            return
        self.first = self.first or number
        table = head(line)
        if table and (self.shape == "" or table in (self.shape, self._wanted())):
            self.table = table
            if table == "profile":
                self.profile.head()
            elif table != "stats":
                self.rows = Table(line, HEADS[table])
            self.read += 1
        elif self._known(line, stripped, number):
            self.read += 1

    def _wanted(self) -> str:
        """The table that this command prints."""
        if self.command is None or self.shape != TABLE:
            return ""
        return "ports" if self.command.menu == PORTS else "interfaces"

    def _known(self, line: str, stripped: str, number: int) -> bool:
        if self.shape == COUNT:
            count = counter(stripped)
            return count is not None and self._count(count, number)
        bare = self.shape == "" and bool(self.details.rows or ' name="' in line)
        if self.shape == DETAIL or bare:
            return self.details.take(line, number)
        if self.table == "profile" or self.shape == PROFILE:
            self.lines = number
            return self.profile.take(line)
        if self.table == "stats" or self.shape == STATS:
            return self._stats(line, number)
        if self.rows is not None:
            row = self.rows.row(line)
            return row is not None and self._row(row, number)
        name, colon, value = stripped.partition(":")
        if self.shape in ("", VALUES) and colon and " " not in name:
            self.values.append((name, value.strip(" "), number))
            return self.shape != ""
        return False

    def end(self) -> None:
        """All its lines are there: say what no single one of them says, and what was not read."""
        if self.values:
            menu = self.command.menu if self.command else menu_of(self.values)
            self.read += take(self.into, menu, self.values)
        if self.stats >= 0:
            family = FILTERS.get(self.command.menu, 4) if self.command else 4
            self.into.tell("packets that matched the FastTrack rule", str(self.stats), self.first,
                           self.stats > 0, "fasttrack", family)  # fmt: skip
        if self.ports[1]:
            text = str(self.ports[0]) + " of " + str(self.ports[1])
            what = "bridge ports in the switch chip (flag H)"
            self.into.tell(what, text, self.first, self.ports[0] == self.ports[1])
        self._interfaces()
        self._details()
        self._cores()
        if self.first and not self.read:
            why = NO_COMMAND if self.command is None else NOT_YET
            begins = self.command.menu if self.command is not None and self.command.verb else ""
            if self.shape not in ("", NOTHING):
                why = NOT_THIS
            self.into.miss(self.first, begins, why)

    def _count(self, count: int, number: int) -> bool:
        if self.command is None:
            return False
        menu, words = self.command.menu, self.command.words
        where = "".join([" " + struck_word(menu, word) for word in words[1:]])
        if menu.endswith("/firewall/connection") and "fasttrack" in words:
            family = 6 if menu.startswith("/ipv6") else 4
            self.into.tell("fast-tracked connections", str(count), number, count > 0,
                           "fasttrack", family)  # fmt: skip
        else:
            known = menu if menu_words.is_path(menu) else STRUCK
            self.into.tell("rows of " + known + where, str(count), number, None)
        if menu in DYNAMIC and ("dynamic" in words or (len(words) == 1 and not count)):
            self.into.put(number, PRINTED, "set", DYNAMIC[menu], str(count))
            if count:
                self.into.put(number, menu, "add", "dynamic", "yes")
        return True

    def _stats(self, line: str, number: int) -> bool:
        row = stats_row(line)
        if row is None:
            return False
        if row[0] == "fasttrack-connection":
            self.stats = max(self.stats, 0) + row[1]
            self.first = number
        return True

    def _row(self, row: tuple[str, str, str], number: int) -> bool:
        flags, name, kind = row
        if self.table == "ports":
            flagged = "H" in flags
            about = '[find interface="' + name + '"]'
            self.into.put(number, PORTS, "set", "hw-flag", "yes" if flagged else "no", about)
            self.ports = [self.ports[0] + (1 if flagged else 0), self.ports[1] + 1]
            return True
        counts = self.kinds.setdefault(kind, [0, 0])
        counts[0] += 1
        counts[1] += 1 if "X" in flags else 0
        apart = name[0] in "[<" or "," in name or '"' in name or is_number(name)
        if kind in MENUS and "D" not in flags and not apart:
            verb = "disable" if "X" in flags else "enable"
            self.into.put(number, MENUS[kind], verb, about='"' + name + '"')
        return True

    def _interfaces(self) -> None:
        for kind in sorted(self.kinds):
            every, off = self.kinds[kind]
            text = str(every) + (", " + str(off) + " disabled" if off else "")
            known = kind if _is_type(kind) else STRUCK
            self.into.tell("interfaces of type " + known, text, self.first, None)

    def _details(self) -> None:
        for number, flags, values in self.details.rows:
            name = values.get("name", "")
            if not name or "D" in flags:
                continue
            if self.command is not None and self.command.menu == BRIDGES:
                about = '[find name="' + name + '"]'
                self.into.put(number, BRIDGES, "set", "disabled",
                              "yes" if "X" in flags else "no", about)  # fmt: skip
                for word in BRIDGE_WORDS:
                    if values.get(word) in ("yes", "no"):
                        self.into.put(number, BRIDGES, "set", word, values[word], about)
                if counter(values.get("actual-mtu", "")) is not None:
                    self.into.tell("MTU of " + name, values["actual-mtu"], number, None)
            for word in ("fp-rx-packet", "fp-tx-packet"):
                count = counter(values.get(word, ""))
                if count is not None:
                    self.into.tell(word + " of " + name, str(count), number, count > 0)

    def _cores(self) -> None:
        cores, together = self.profile.cores, self.profile.all
        busiest = max(cores.values()) if cores else 0.0
        for core in sorted(cores):
            if cores[core] >= FULL:
                value = str(int(cores[core])) + " %"
                self.into.tell("core " + core + " is full", value, self.lines, False)
        if cores and busiest < FULL:
            self.into.tell("the busiest core", str(int(busiest)) + " %", self.lines, True)
        elif not cores and together is not None:
            value = str(int(together)) + " % (cpu=all shows whether one core is full)"
            self.into.tell("all cores together", value, self.lines, together < FULL)
