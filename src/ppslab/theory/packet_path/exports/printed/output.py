"""What a router printed, as further evidence: settings, counters, flags of ports, the profile.

The text is that of the terminal, with or without its prompts.  Values become rows as those of an
export; counters become sentences; what could not be read is kept with the reason.
"""

from __future__ import annotations

from ppslab.theory.packet_path.exports import menus
from ppslab.theory.packet_path.exports.printed import asked, settings
from ppslab.theory.packet_path.exports.printed.asked import Asked
from ppslab.theory.packet_path.exports.printed.evidence import TOLD, Printed
from ppslab.theory.packet_path.exports.printed.rows import (
    HEADS,
    Details,
    Profile,
    Table,
    amount,
    head,
    stats_row,
)
from ppslab.theory.packet_path.exports.secrets import STRUCK, struck_word

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

NOT_YET = "what this command prints cannot be read back yet"
NOT_THIS = "nothing that is known here: paste what the router printed, with its prompt"


def read(text: str, file: str) -> Printed:
    """The rows that a router's output comes to, and what it says beside; nothing is refused."""
    into = Printed(file)
    output = Output(into, None, 0)
    number = 0
    for line in text.replace("\r", "").replace("\t", " ").split("\n"):
        number += 1
        command = asked.of_prompt(line.strip(" "))
        blank = not line.strip(" ") and output.asked is None
        if command is None and not blank:
            output.take(line, number)
            continue
        output.end()
        output = Output(into, Asked(command) if command else None, number)
    output.end()
    return into


def _is_type(word: str) -> bool:
    """Whether a word is a type of interfaces: any other may be a part of a name."""
    base = word
    for end in ("-in", "-out", "-tunnel"):
        if word.endswith(end):
            base = word[: -len(end)]
    return base in TYPES or menus.is_word(base)


class Output:
    """What one command printed, or lines of which no command is known."""

    def __init__(self, into: Printed, command: Asked | None, number: int) -> None:
        self.into = into
        self.asked = command
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
        found = head(line)
        if found and (self.shape == "" or found in (self.shape, self._wanted())):
            self.table = found
            if found == "profile":
                self.profile.head()
            elif found != "stats":
                self.rows = Table(line, HEADS[found])
            self.read += 1
        elif self._known(line, stripped, number):
            self.read += 1

    def _wanted(self) -> str:
        """The table that this command prints."""
        if self.asked is None or self.shape != asked.TABLE:
            return ""
        return "ports" if self.asked.menu == asked.PORTS else "interfaces"

    def _known(self, line: str, stripped: str, number: int) -> bool:
        if self.shape == asked.COUNT:
            count = amount(stripped)
            return count is not None and self._count(count, number)
        bare = self.shape == "" and bool(self.details.rows or ' name="' in line)
        if self.shape == asked.DETAIL or bare:
            return self.details.take(line, number)
        if self.table == "profile" or self.shape == asked.PROFILE:
            self.lines = number
            return self.profile.take(line)
        if self.table == "stats" or self.shape == asked.STATS:
            return self._stats(line, number)
        if self.rows is not None:
            row = self.rows.row(line)
            return row is not None and self._row(row, number)
        name, colon, value = stripped.partition(":")
        if self.shape in ("", asked.VALUES) and colon and " " not in name:
            self.values.append((name, value.strip(" "), number))
            return self.shape != ""
        return False

    def end(self) -> None:
        """All its lines are there: say what no single one of them says, and what was not read."""
        if self.values:
            menu = self.asked.menu if self.asked else settings.menu_of(self.values)
            self.read += settings.take(self.into, menu, self.values)
        if self.stats >= 0:
            self.into.tell("packets that met the FastTrack rule", str(self.stats), self.first,
                           self.stats > 0, "fasttrack", self._family())  # fmt: skip
        if self.ports[1]:
            said = str(self.ports[0]) + " of " + str(self.ports[1])
            what = "ports of bridges in the switch chip (flag H)"
            self.into.tell(what, said, self.first, self.ports[0] == self.ports[1])
        self._interfaces()
        self._details()
        self._cores()
        if self.first and not self.read:
            why = settings.NO_COMMAND if self.asked is None else NOT_YET
            begins = self.asked.menu if self.asked is not None and self.asked.verb else ""
            if self.shape not in ("", asked.NOTHING):
                why = NOT_THIS
            self.into.miss(self.first, begins, why)

    def _family(self) -> int:
        return asked.FILTERS.get(self.asked.menu, 4) if self.asked else 4

    def _count(self, count: int, number: int) -> bool:
        if self.asked is None:
            return False
        menu, words = self.asked.menu, self.asked.words
        where = "".join([" " + struck_word(menu, word) for word in words[1:]])
        if menu.endswith("/firewall/connection") and "fasttrack" in words:
            family = 6 if menu.startswith("/ipv6") else 4
            self.into.tell("fast-tracked connections", str(count), number, count > 0,
                           "fasttrack", family)  # fmt: skip
        else:
            known = menu if menus.is_path(menu) else STRUCK
            self.into.tell("rows of " + known + where, str(count), number, None)
        if menu in DYNAMIC and ("dynamic" in words or (len(words) == 1 and not count)):
            self.into.put(number, TOLD, "set", DYNAMIC[menu], str(count))
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
            self.into.put(number, asked.PORTS, "set", "hw-flag", "yes" if flagged else "no", about)
            self.ports = [self.ports[0] + (1 if flagged else 0), self.ports[1] + 1]
            return True
        counts = self.kinds.setdefault(kind, [0, 0])
        counts[0] += 1
        counts[1] += 1 if "X" in flags else 0
        apart = name[0] in "[<" or "," in name or '"' in name or name.isdigit()
        if kind in MENUS and "D" not in flags and not apart:
            verb = "disable" if "X" in flags else "enable"
            self.into.put(number, MENUS[kind], verb, about='"' + name + '"')
        return True

    def _interfaces(self) -> None:
        for kind in sorted(self.kinds):
            every, off = self.kinds[kind]
            said = str(every) + (", " + str(off) + " of them disabled" if off else "")
            known = kind if _is_type(kind) else STRUCK
            self.into.tell("interfaces of the type " + known, said, self.first, None)

    def _details(self) -> None:
        for number, flags, values in self.details.rows:
            name = values.get("name", "")
            if not name or "D" in flags:
                continue
            if self.asked is not None and self.asked.menu == asked.BRIDGES:
                about = '[find name="' + name + '"]'
                self.into.put(number, asked.BRIDGES, "set", "disabled",
                              "yes" if "X" in flags else "no", about)  # fmt: skip
                for word in BRIDGE_WORDS:
                    if values.get(word) in ("yes", "no"):
                        self.into.put(number, asked.BRIDGES, "set", word, values[word], about)
                if amount(values.get("actual-mtu", "")) is not None:
                    self.into.tell("MTU of " + name, values["actual-mtu"], number, None)
            for word in ("fp-rx-packet", "fp-tx-packet"):
                count = amount(values.get(word, ""))
                if count is not None:
                    self.into.tell(word + " of " + name, str(count), number, count > 0)

    def _cores(self) -> None:
        for core in sorted(self.profile.cores):
            share = self.profile.cores[core]
            if share >= FULL:
                value = str(int(share)) + " %"
                self.into.tell("core " + core + " is full", value, self.lines, False)
        if self.profile.cores:
            if max(self.profile.cores.values()) < FULL:
                value = str(int(max(self.profile.cores.values()))) + " %"
                self.into.tell("the busiest core", value, self.lines, True)
        elif self.profile.all is not None:
            value = str(int(self.profile.all)) + " % (cpu=all tells whether one core is full)"
            full = self.profile.all >= FULL
            self.into.tell("all cores together", value, self.lines, not full)
