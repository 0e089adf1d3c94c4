"""RouterOS's firewall as tables of nftables: commands are taken or refused, and become a script.

A model, not RouterOS: the router is Linux and does what Linux does.
"""

from __future__ import annotations

from collections.abc import Iterator

from ppslab.model.packet_path.on_linux import firewall, masking, table, tables, values
from ppslab.model.packet_path.on_linux.firewall import Marks
from ppslab.model.packet_path.on_linux.ports import ETHERNET, Ports
from ppslab.model.packet_path.on_linux.values import RefusedError, refuse
from rosexplain.parse import Command, NoMenu, parsed
from rosexplain.rows import PLACE, Row, Rows

NONE = "no translation to nftables"
VERBS = ("add", "set", "remove", "enable", "disable", "move")

Refused = tuple[int, str]
"""The number of a line, from 1, and why it has no translation."""


class Translation:
    """The rules of one router, file after file.

    `masked`: others wrote the files, so what may be secret is struck out of all that is shown.
    """

    def __init__(self, devices: dict[str, str], *, masked: bool = False) -> None:
        self._wired = Ports(devices)
        self._masked = masked
        self._rows = Rows()

    @property
    def script(self) -> list[str]:
        """Lines of a shell that load each table, in one step."""
        made = tables.tables(self._rows, self._ports, Marks())
        return [masking.script(text) for text in made] if self._masked else made

    def take(self, text: str, file: str) -> list[Refused]:
        """Take the commands of a file; the lines that have no translation."""
        export = parsed(text, file)
        refused: list[Refused] = []
        for unread in export.unread:
            line = masking.begins(unread.typed, unread.begins, self._masked)
            why = NONE if isinstance(unread, NoMenu) else unread.why
            refused.append((unread.number, f"{line}: {why}"))
        broken = {unread.number for unread in export.unread}
        commands = sorted((*export.commands, *export.asked), key=lambda command: command.number)
        for command in commands:
            if command.number not in broken:
                refused += [(command.number, why) for why in self._take(command)]
        return sorted(refused)

    @property
    def _ports(self) -> Ports:
        return self._wired.renamed(self._rows)

    def _take(self, command: Command) -> Iterator[str]:
        """Do what a command says; why it cannot be done, in full or in part."""
        try:
            _check_words(command)
            unread = len(self._rows.unread)
            for values_of in self._values(command):
                self._check(command.menu, values_of)
            if len(self._rows.unread) == unread:
                self._rows.take(command)
            if len(self._rows.unread) > unread:
                raise refuse(self._rows.unread[unread].why)
            if command.menu == ETHERNET:
                for name in command.names:
                    if name != "name":
                        raise refuse(f"{name}: only the firewall is translated")
        except RefusedError as error:
            menu = masking.path(command.menu, self._masked)
            why = masking.sentence(error.args[0], command, self._masked)
            yield f"{menu} {command.command}: {why}"

    def _values(self, command: Command) -> Iterator[dict[str, str]]:
        """The properties of each row that a command adds or sets, as they will be."""
        own = {name: command.properties[name] for name in command.names if name != PLACE}
        if command.menu in table.SINGLE or command.command == "add":
            yield own
        elif command.menu != ETHERNET:
            if not command.selected or not command.selected[0]:
                raise refuse("no row selected: give a number, a name or [find ...]")
            unread = len(self._rows.unread)
            selected = self._selected(command)
            if not selected and len(self._rows.unread) == unread:
                raise refuse(f"no such item: {values.shown(command.selected[0])}")
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
            values.of("disabled", values.yes_or_no, row["disabled"])
        if firewall.is_rules(menu):
            firewall.rule(menu, list(row.items()), self._ports, Marks())
        elif menu in table.LISTS:
            for name in ("list", "address"):
                if not row.get(name):
                    raise refuse(f"{name} is missing")
            values.of("list", values.name, row["list"])
            values.of("address", values.network, row["address"], menu.startswith("/ipv6/"))
        elif menu == firewall.TRACKING and row.get("enabled", "auto") not in ("yes", "no", "auto"):
            raise refuse("enabled: use yes, no or auto")


def _check_words(command: Command) -> None:
    """RefusedError where a menu, a verb or a property has no translation."""
    menu, verb = command.menu, command.command
    if menu not in (*table.FIREWALLS, *table.LISTS, *table.SINGLE, ETHERNET):
        raise refuse(f"{NONE}: only the firewall is translated")
    if verb not in VERBS or ((menu in table.SINGLE or menu == ETHERNET) and verb != "set"):
        raise refuse(f"the verb {verb} has {NONE}")
    if verb == "add" and command.selected:
        raise refuse(f"'{values.shown(command.selected[0])}' is not property=value")
    known = table.SINGLE.get(menu) or (("list", "address") if menu in table.LISTS else ())
    for name in command.names if known else ():
        if name not in (*known, *table.COMMON):
            raise refuse(firewall.no_translation(name))
