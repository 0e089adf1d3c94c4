"""RouterOS's firewall as tables of nftables: commands are taken or refused, and become a script.

A model, not RouterOS: the router is Linux and does what Linux does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ppslab.model.packet_path.on_linux import table
from ppslab.model.packet_path.on_linux.rule import (
    RefusedError,
    Values,
    checked,
    flag,
    kind_of,
    no_translation,
    rule,
)
from rosexplain import menu_words, secrets
from rosexplain.parse import Command, NoMenu, parsed
from rosexplain.rows import PLACE, Row, Rows

NONE = "no translation to nftables"
VERBS = ("add", "set", "remove", "enable", "disable", "move")
ETHERNET = "/interface/ethernet"
TRACKING = "/ip/firewall/connection/tracking"
_TRACKS = ("ct ", "type nat", "flow add")

Refused = tuple[int, str]
"""The number of a line, from 1, and why it has no translation: nothing of it may be a secret."""


class Translation:
    """The rules of one router, file after file.

    `devices`: the Linux device of each interface, e.g. `{"ether2": "eth1"}`.  Comments are left
    out: people keep secrets in them.
    """

    def __init__(self, devices: Mapping[str, str]) -> None:
        self._wired = dict(devices)
        self._rows = Rows()

    def take(self, text: str, file: str) -> list[Refused]:
        """Take the commands of a file; the lines that have no translation."""
        export = parsed(text, file)
        refused: list[Refused] = []
        for unread in export.unread:
            why = NONE if isinstance(unread, NoMenu) else unread.why
            refused.append((unread.number, f"{unread.begins or secrets.STRUCK}: {why}"))
        broken = {unread.number for unread in export.unread}
        commands = sorted((*export.commands, *export.asked), key=lambda command: command.number)
        for command in commands:
            if command.number not in broken:
                try:
                    self._take(command)
                except RefusedError as error:
                    why = f"{_path(command.menu)} {command.command}: {error.args[0]}"
                    refused.append((command.number, why))
        return sorted(refused)

    @property
    def script(self) -> list[str]:
        """Lines of a shell that load each table, in one step."""
        made: list[str] = []
        marks: list[str] = []
        tracked, asked = False, False
        for menu, family in table.FIREWALLS.items():
            if rows := self._rows.of(menu):
                text = self._table(menu, family, rows, marks)
                made.append(_nft(family, "routeros-" + kind_of(menu), text))
                tracked = tracked or family != "bridge"
                asked = asked or any(word in line for line in text for word in _TRACKS)
        single = self._rows.single(TRACKING)
        wanted = single.get("enabled", "auto") if single else "auto"
        if wanted == "yes" or (wanted == "auto" and tracked):
            never = _block("chain never-entered", ["ct state new counter"])
            made.append(_nft("inet", "routeros-tracking", never))
        elif wanted == "no" and asked:
            # With tracking off no packet has a state, whatever rules ask for it.
            hooks = []
            for hook in ("prerouting", "output"):
                head = f"type filter hook {hook} priority raw; policy accept;"
                hooks += _block("chain " + hook, [head, "notrack"])
            made.append(_nft("inet", "routeros-tracking", hooks))
        return made

    @property
    def _devices(self) -> dict[str, str]:
        """The devices by their own names, and by those that `/interface/ethernet set` gives."""
        names = {
            row.name: self._wired[port]
            for row in self._rows.all_of(ETHERNET)
            if (port := row.get("default-name") or row.key) in self._wired and row.name
        }
        return names | self._wired

    def _take(self, command: Command) -> None:
        """Do what a command says; RefusedError where it cannot be done, in full or in part."""
        _check_words(command)
        unread = len(self._rows.unread)
        for properties in self._properties(command):
            self._check(command.menu, properties)
        if len(self._rows.unread) == unread:
            self._rows.take(command)
        if len(self._rows.unread) > unread:
            raise RefusedError(self._rows.unread[unread].why)
        for name in command.names if command.menu == ETHERNET else ():
            if name != "name":
                raise RefusedError(
                    f"{secrets.struck_word(ETHERNET, name)}: only the firewall is translated"
                )

    def _properties(self, command: Command) -> Iterator[dict[str, str]]:
        """The properties of each row that a command adds or sets, as they will be."""
        own = {name: command.properties[name] for name in command.names if name != PLACE}
        if command.menu in table.SINGLE or command.command == "add":
            yield own
        elif command.menu != ETHERNET:
            if not command.selected or not command.selected[0]:
                raise RefusedError("no row selected: give a number, a name or [find ...]")
            unread = len(self._rows.unread)
            selected = self._selected(command)
            if not selected and len(self._rows.unread) == unread:
                raise RefusedError("no such item")
            if command.command == "set":
                for row in selected:
                    yield {name: row.get(name) for name in row.names} | own

    def _selected(self, command: Command) -> list[Row]:
        if command.menu not in self._rows.menus:
            return []
        rows = self._rows.selected(command)
        every = self._rows.all_of(command.menu)
        return every if rows is None else [row for row in rows if not row.removed]

    def _check(self, menu: str, row: dict[str, str]) -> None:
        """RefusedError where what a row says has no translation."""
        if "disabled" in row:
            checked(menu, "disabled", row["disabled"], flag)
        if menu in table.FIREWALLS:
            rule(menu, row, self._devices, [])
        elif menu in table.LISTS:
            values = _of_family(table.LISTS[menu])
            for name, check in (("list", values.name), ("address", values.network)):
                if not row.get(name):
                    raise RefusedError(f"{name} is missing")
                checked(menu, name, row[name], check)
        elif menu == TRACKING and row.get("enabled", "auto") not in ("yes", "no", "auto"):
            raise RefusedError("enabled: use yes, no or auto")

    def _table(self, menu: str, family: str, every: list[Row], marks: list[str]) -> list[str]:
        """The lines of one list's table; a chain that is jumped to stands before whoever jumps."""
        settings = self._rows.single("/ipv6/settings" if family == "ip6" else "/ip/settings")
        allowed = not settings or settings.get("allow-fast-path") not in ("no", "false")
        chains: dict[str, list[str]] = {}
        for row in every:
            given = {name: row.get(name) for name in row.names}
            chain, text = rule(menu, given, self._devices, marks)
            # Without the fast path the rule counts what it matches, and FastTrack takes nothing.
            text = text if allowed else text.replace(" flow add @fasttrack", "")
            chains.setdefault(chain, []).append(text)
        for row in every:
            if row.get("action") == "jump":
                chains.setdefault(row.get("jump-target"), [])
        matched = ("src-address-list", "dst-address-list")
        lists = dict.fromkeys(row.get(name).lstrip("!") for row in every for name in matched)
        made = [line for name in lists if name for line in self._set(family, name)]
        if any("flow add" in text for texts in chains.values() for text in texts):
            devices = ", ".join(dict.fromkeys(self._devices.values()))
            hook = ["hook ingress priority filter", "devices = { " + devices + " }", "counter"]
            made += _block("flowtable fasttrack", hook)
        own = {name: rest for name, *rest in table.CHAINS[kind_of(menu)]}
        for name, texts in chains.items():
            if name not in own:
                made += _block("chain chain-" + name, texts)
        for name, (kind, hook_name, priority) in own.items():
            if name in chains:
                head = f"type {kind} hook {hook_name} priority {priority}; policy accept;"
                made += _block("chain " + name, [head, *chains[name]])
        return made

    def _set(self, family: str, name: str) -> list[str]:
        """An address list as a set."""
        (menu,) = (menu for menu, of in table.LISTS.items() if of == family)
        rows = self._rows.where(menu, "list", name)
        networks = [_of_family(family).network(row.get("address")) for row in rows]
        kind = "ipv6_addr" if family == "ip6" else "ipv4_addr"
        elements = ["elements = { " + ", ".join(networks) + " }"] if networks else []
        return _block(
            "set list-" + name, [f"type {kind}", "flags interval", "auto-merge", *elements]
        )


def _of_family(family: str) -> Values:
    return Values(six=family == "ip6", devices={}, marks=[], rule={})


def _check_words(command: Command) -> None:
    """RefusedError where a menu, a verb or a property has no translation."""
    menu, verb = command.menu, command.command
    if menu not in (*table.FIREWALLS, *table.LISTS, *table.SINGLE, ETHERNET):
        raise RefusedError(f"{NONE}: only the firewall is translated")
    if verb not in VERBS or ((menu in table.SINGLE or menu == ETHERNET) and verb != "set"):
        raise RefusedError(f"the verb {verb} has {NONE}")
    if verb == "add" and command.selected:
        raise RefusedError(
            f"{secrets.struck_word(menu, command.selected[0])} is not property=value"
        )
    known = table.SINGLE.get(menu) or (("list", "address") if menu in table.LISTS else ())
    for name in command.names if known else ():
        if name not in (*known, *table.COMMON):
            raise RefusedError(no_translation(name))


def _path(menu: str) -> str:
    """A menu as it is typed: `/ip firewall filter`."""
    return "/" + " ".join(
        word if menu_words.is_path(word) else secrets.STRUCK for word in menu[1:].split("/")
    )


def _block(head: str, lines: list[str]) -> list[str]:
    return [head + " {", *("    " + line for line in lines), "}"]


def _nft(family: str, name: str, lines: list[str]) -> str:
    """A command that puts a table in the place of the one that was there, in one step."""
    head = f"table {family} {name}"
    whole = [head, "delete " + head, *_block(head, lines)]
    return "nft -f - <<'PPSLAB'\n" + "\n".join(whole) + "\nPPSLAB"
