"""The command that a router was asked, and whether what it prints can be read back here."""

from __future__ import annotations

VERBS = ("print", "profile", "monitor", "monitor-traffic", "getall", "export")

SETTINGS = ("/ip/settings", "/ipv6/settings", "/interface/bridge/settings",
            "/ip/firewall/connection/tracking", "/tool/sniffer",
            "/tool/traffic-generator")  # fmt: skip
"""Menus without rows: `name: value`, a line each."""

PORTS = "/interface/bridge/port"
BRIDGES = "/interface/bridge"
INTERFACES = "/interface"
FILTERS = {"/ip/firewall/filter": 4, "/ipv6/firewall/filter": 6}
"""The menus of the filter, and the family of each."""

VALUES, COUNT, TABLE, DETAIL, STATS, PROFILE, NOTHING = (
    "values", "count", "table", "detail", "stats", "profile", "nothing"
)  # fmt: skip
"""The shapes of what is printed; NOTHING: none that is read here."""


class Asked:
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
        if self.menu in SETTINGS:
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
    """Whether --print takes the output of a command that an answer names."""
    return Asked(command).shape != NOTHING


def of_prompt(line: str) -> str | None:
    """The command of a line with a prompt, or of one that begins with a slash; None: no such line.

    `[admin@MikroTik] /ip/settings> print` is one of /ip/settings; a bare prompt is one of nothing.
    """
    if line.startswith("/"):
        return line
    if line.startswith("> /"):
        return line[2:]  # copied without the prompt's name
    close = line.find("] ")
    if close < 0:
        return None
    menu, arrow, command = line[close + 1 :].partition(">")
    menu, command = menu.strip(" "), command.strip(" ")
    if not arrow or (menu and menu[0] != "/"):
        return None
    return command if not menu or command.startswith("/") else menu + "/" + command
