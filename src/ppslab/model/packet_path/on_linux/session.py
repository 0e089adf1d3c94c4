"""A terminal of RouterOS at a Linux router: lines are taken or refused, and become commands.

A model, not RouterOS: the router is Linux and does what Linux does.
"""

from __future__ import annotations

from ppslab.model.packet_path.on_linux import (
    checking,
    counters,
    firewall,
    links,
    masking,
    printing,
    queues,
    table,
    tables,
    values,
)
from ppslab.model.packet_path.on_linux.firewall import Marks
from ppslab.model.packet_path.on_linux.items import Item, Ports, between
from ppslab.model.packet_path.on_linux.live_rows import LiveRows
from ppslab.model.packet_path.on_linux.values import RefusedError, refuse
from rosexplain import parse
from rosexplain.parse import Command, NoMenu, Row, parsed

_NO_MENU = "no such menu or command on this Linux router; ? lists the menus and commands"
PINGS = 4
"""How often `ping` asks; RouterOS's own asks until it is stopped."""


class Taken:
    """What became of some lines.

    `refused`: 1-based lines and why; `notes`: lines and what is to be known; `printed`: what was
    asked for; `script`: lines of a shell that bring the router to the new state, in their order.
    """

    def __init__(self) -> None:
        self.refused: list[tuple[int, str]] = []
        self.notes: list[tuple[int, str]] = []
        self.printed: list[str] = []
        self.script: list[str] = []
        self.asks = ""
        """A command whose output is asked for besides: Linux knows more than was typed."""
        self.asked_of = ""
        """The menu whose rows that output has; empty where it is shown as it is."""
        self.stats = False
        """Whether its counters are asked for."""
        self.once: list[str] = []
        """Lines of a shell that change no configuration, as to forget connections."""
        self.count = 0
        """Commands that were taken."""


class Session:
    """One router.  `wired`: interfaces of RouterOS, and the devices that stand for them.

    `masked`: others typed it, so what may be secret is struck out of all that is shown.
    """

    def __init__(self, wired: list[tuple[str, str]], masked: bool = False) -> None:
        self.wired = wired
        self.masked = masked
        self.menu: list[str] = []
        self.commands: list[Command] = []
        self.rows = LiveRows()
        self.items: list[Item] = []
        self._before: tuple[list[Command], list[Item]] = ([], [])

    def take(self, text: str, file: str = "") -> Taken:
        """Take lines as they were typed, or as a file has them."""
        taken = Taken()
        self._before = (self.commands[:], self.items)
        if self._asked(text.strip(), taken):
            return taken
        export = parsed(text, file, self.menu)
        for each in export.unread:
            why = _NO_MENU if isinstance(each, NoMenu) else each.why
            line = masking.begins(each.typed, each.begins, self.masked)
            taken.refused.append((each.number, f"{line}: {why}"))
        bad = [each.number for each in export.unread]
        if not any(isinstance(each, NoMenu) for each in export.unread):
            self._enter(export.menu, text, taken)
        fresh: list[Command] = []
        waiting = [each for each in export.commands + export.asked if each.number not in bad]
        for command in sorted(waiting, key=_number):
            try:
                if command.command == "export":
                    taken.printed += printing.exported(self.rows, command, self.masked)
                    continue
                if command.command == "print":
                    taken.printed += printing.printed(self.rows, command, self.masked)
                    taken.asked_of = command.menu
                    taken.stats = printing.stats(command)
                    taken.asks = (counters.asks(command.menu, self.ports()) if taken.stats
                                  else printing.LIVE.get(command.menu, ""))  # fmt: skip
                    continue
                if command.menu == counters.CONNECTIONS:
                    checking.words(command)
                    which = command.selected[0] if command.selected else ""
                    taken.once.append(counters.forget(which, self._marks()))
                    continue
                self._take(command, taken)
                fresh.append(command)
            except RefusedError as error:
                taken.refused.append((command.number, self._sentence(command, error)))
        try:
            items = self._state()
        except RefusedError:
            items = self._one_by_one(fresh, taken)
        taken.script = between(self.items, items) + taken.once
        if self.masked:
            taken.script = [masking.script(line) for line in taken.script]
        taken.count = len(self.commands) - len(self._before[0])
        self.items = items
        taken.refused.sort()
        return taken

    def _asked(self, line: str, taken: Taken) -> bool:
        """Whether a line is `?` or `ping`, which are no commands of a menu; they are answered."""
        words = line.lstrip("/").split()
        if not words or "\n" in line:
            return False
        try:
            if words[0] == "ping":
                taken.asks = _ping(words[1:])
            elif words[0] == "tool/profile" or words[:2] == ["tool", "profile"]:
                taken.printed += counters.profile(words[1 if "/" in words[0] else 2 :])
            elif words[-1] == "?" or line.endswith("/?"):
                before = parsed(line[:-1].rstrip("/ ") or "/", "", self.menu)
                if before.unread:
                    raise refuse(_NO_MENU)
                verbs = before.commands + before.asked
                menu = verbs[0].menu if verbs else "/" + "/".join(before.menu)
                taken.printed += printing.offered(menu, verbs[0].command if verbs else "")
            else:
                return False
        except RefusedError as error:
            line = masking.begins(line, parse.known(line), self.masked)
            why = masking.sentence(error.args[0], None, self.masked)
            taken.refused.append((1, f"{line}: {why}"))
        return True

    def back(self) -> None:
        """Forget what was taken last, as Linux did not do it."""
        commands, self.items = self._before
        self._begin(commands)

    def _begin(self, commands: list[Command]) -> None:
        self.rows = LiveRows()
        self.commands = []
        for command in commands:
            self._keep(command)

    def _keep(self, command: Command) -> None:
        self.rows.take(command)
        if command.command in ("remove", "move"):
            self.rows.sweep()
        self.commands.append(command)

    def _enter(self, menu: list[str], text: str, taken: Taken) -> None:
        """Stand in the menu that the last line leads to, where there is one of that name."""
        path = "/" + "/".join(menu)
        if (
            menu == self.menu
            or not menu
            or any((each + "/").startswith(path + "/") for each in table.menus())
        ):
            self.menu = menu
            return
        # In a file each line that wants the menu says so itself.
        if "\n" not in text.strip():
            line = masking.path(path, True) if self.masked else path
            taken.refused.append((1, f"{line}: {_NO_MENU}"))

    def ports(self) -> Ports:
        """The interfaces as they are now."""
        ports = Ports(self.wired)
        ports.more = links.made_interfaces(self.rows, ports)
        return ports

    def _marks(self) -> Marks:
        """The numbers of the marks as they are now."""
        marks = Marks()
        tables.tables(self.rows, self.ports(), marks)
        queues.items(self.rows, self.ports(), marks)
        return marks

    def _take(self, command: Command, taken: Taken) -> None:
        checking.words(command)
        checking.name_of_its_own(command, self.rows)
        if command.command == "add":
            self._check(command, None)
        else:
            found = checking.rows_of(self.rows, command)
            if command.command == "set":
                for row in found:
                    self._check(command, row)
                if not found:
                    self._check(command, None)
        taken.notes += [(command.number, note) for note in checking.notes(command)]
        self._keep(command)

    def _check(self, command: Command, row: Row | None) -> None:
        """Whether a row with what the command says of it has a translation."""
        names = row.names[:] if row else []
        names += [name for name in command.names if name not in names and name != "place-before"]
        given = [(name, command.properties[name] if name in command.properties
                 else row.get(name) if row else "") for name in names]  # fmt: skip
        ports = self.ports()
        if row is None:
            checking.unheard_of(command, ports)
        if checking.is_rules(command.menu):
            firewall.rule(command.menu, given, ports, Marks())
        whole = {name: value for name, value in given}  # noqa: C416
        checking.row(command.menu, whole, self.rows, ports, checking.port_of(command, row))

    def _state(self) -> list[Item]:
        """Everything that the commands come to by now."""
        ports, marks = self.ports(), Marks()
        made = links.items(self.rows, ports)
        made += tables.tables(self.rows, ports, marks)
        return made + queues.items(self.rows, ports, marks)

    def _one_by_one(self, fresh: list[Command], taken: Taken) -> list[Item]:
        """Together they have no translation: find the commands with which they have none."""
        self._begin(self._before[0])
        items = self._before[1]
        for command in fresh:
            kept = self.commands[:]
            self._keep(command)
            try:
                items = self._state()
            except RefusedError as error:
                taken.refused.append((command.number, self._sentence(command, error)))
                self._begin(kept)
        return items

    def _sentence(self, command: Command, error: RefusedError) -> str:
        """`/ip firewall filter add: layer7-protocol: no translation to this Linux router`."""
        menu = masking.path(command.menu, self.masked)
        why = masking.sentence(error.args[0], command, self.masked)
        return f"{menu} {command.command}: {why}"


def _ping(words: list[str]) -> str:
    """The command of Linux for `ping ADDRESS [count=N]`."""
    count, address = PINGS, ""
    for word in words:
        name, equals, value = word.partition("=")
        if name == "count" and equals:
            count = values.of("count", values.number, value, 1, 20)
        elif name == "address" and equals:
            address = value
        elif not equals and not address:
            address = word
        else:
            raise refuse(f"{values.shown(word)}: only an address and count=N have a translation")
    values.one_address(address, ":" in address)
    return f"ping -c {count} -W 1 {address} 2>&1 || :"


def _number(command: Command) -> int:
    return command.number
