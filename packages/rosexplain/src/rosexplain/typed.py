"""Commands that somebody types at a router: read, checked, and done one after the other."""

from __future__ import annotations

from rosexplain import menu_words, property_kinds, secrets
from rosexplain.commands import selector
from rosexplain.language import few_of, gettext
from rosexplain.menu_words import BELOW
from rosexplain.ordered import unique
from rosexplain.parse import Command, Export, NotMoved, parsed, split
from rosexplain.rows import ADDED, Row, Rows, rows_of

FILE = "--try"
"""The name of a text without a file's name."""
NO_ITEM = "it changes nothing: it selects no item"
SO_ALREADY = "it changes nothing: the router is already set like this"
ONLY_ADDED = ("/ip/firewall/", "/ipv6/firewall/", "/queue/simple", "/queue/tree")
"""The beginnings of menus in which a router has no items of its own."""
MOST_NAMED = 3
MOST_LETTERS = 2
"""Letters by which a misspelled word may differ."""


def applied(router: list[Export], text: str, file: str) -> Export:
    """The commands of a text, each on a line or behind a `;`.

    ValueError, a line for each command that cannot be read or that changes nothing at the router.
    """
    export = _read(text, file)
    problems: list[tuple[int, str]] = [
        (row.number, row.begins + (": " if row.begins else "") + row.why + _near_menu(row.typed))
        for row in export.unread
    ]
    for asking in export.asked:
        problems.append((asking.number, asking.command + " changes nothing"))
    if not export.commands and not problems:
        problems.append((1, "no command; type one such as /ip/settings/set allow-fast-path=yes"))
    rows = rows_of(router)
    for command in export.commands:
        why = _bad_menu(command) or _misspelled(command)
        if not why:
            why, changed = done(rows, command)
            why = why or ("" if changed else SO_ALREADY)
            why += _items(rows, command) if why[: len(NO_ITEM)] == NO_ITEM else ""
        if why:
            problems.append((command.number, why))
    if problems:
        lines = [file + ":" + str(number) + ": " + why for number, why in sorted(problems)]
        raise ValueError("\n".join(lines))
    return export


def _read(text: str, file: str) -> Export:
    """The commands of a text; those of one line have its number."""
    lines: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(text.replace("\r", "").split("\n"), start=1):
        for part in _parted(line):
            lines.append(part)
            numbers.append(number)
    export = parsed("\n".join(lines), file)
    texts: dict[int, str] = {}
    for at in export.order:
        before = texts.get(numbers[at - 1], "")
        texts[numbers[at - 1]] = before + ("; " if before else "") + export.texts[at]
    for command in export.commands + export.asked:
        command.number, command.last = numbers[command.number - 1], numbers[command.last - 1]
    for row in export.unread:
        row.number = numbers[row.number - 1]
    export.texts, export.order = texts, unique([numbers[at - 1] for at in export.order])
    return export


def _parted(line: str) -> list[str]:
    """The commands of a line, which semicolons part; not those in quotes or in brackets."""
    if ";" not in line or line.lstrip(" \t")[:1] == "#":
        return [line]
    parts: list[str] = []
    words: list[str] = []
    for word in split(line)[0]:
        words.append(word.rstrip(";"))
        if word[-1] == ";":
            parts.append(" ".join(words).rstrip())
            words = []
    return [part for part in parts + [" ".join(words)] if part] or [""]


def done(there: Rows, command: Command) -> tuple[str, bool]:
    """Do what a command says; why it is not taken, empty where it is, and whether it changed."""
    before, unread = _state(there, command.menu), len(there.unread)
    there.take(command)
    if len(there.unread) > unread:
        row = there.unread[unread]
        none = isinstance(row, NotMoved)
        return (NO_ITEM + ", or no item to move it to" if none else row.why), False
    items = there.menus[command.menu].rows
    added = [item for item in items if item.key == ADDED]
    defaults = [item for item in items if item.first is command and item.key != ADDED]
    if (
        defaults
        and command.selected
        and (added or any(command.menu.startswith(begin) for begin in ONLY_ADDED))
    ):
        defaults[0].removed = True
        return NO_ITEM, False
    if _state(there, command.menu) != before:
        return "", True
    return (NO_ITEM if there.selected(command) == [] else ""), False


def _state(there: Rows, path: str) -> list[dict[str, str]]:
    menu = there.menus.get(path)
    return [plain(item) for item in menu.rows if not item.removed] if menu else []


def plain(row: Row) -> dict[str, str]:
    """A row's properties by name, as they were typed."""
    values = {name: row.get(name) for name in row.names + list(row.menu.every)}
    # A port's queue is a row that the router has of itself: `set ether1 queue=x` says no property.
    name = "interface" if row.menu.path == "/queue/interface" else "name"
    if row.name and name not in values:
        values[name] = row.name
    return values


# What is wrong with a command, and what it may have been meant to be.


def _bad_menu(command: Command) -> str:
    """The fault of a command's menu; empty where the menu is known."""
    path: list[str] = []
    if command.menu == "/":
        return "begin the command with its menu, such as /ip/firewall/filter/add"
    if command.command == "set" and not command.names:
        return "set says no property, such as disabled=yes"
    for word in command.menu.strip("/").split("/"):
        if menu_words.kind(path, word) != menu_words.MENU:
            return "bad command name " + word + _did_you_mean(word, _below(path))
        path.append(word)
    return ""


def _below(path: list[str]) -> list[str]:
    return list(BELOW.get("/".join(path), []))


def _near_menu(typed: str) -> str:
    """A suggestion for a line that enters no menu."""
    path: list[str] = []
    for word in typed.strip("/ ").replace(" ", "/").split("/"):
        if menu_words.kind(path, word) != menu_words.MENU:
            return _did_you_mean(word, _below(path) + list(menu_words.CHANGES))
        path.append(word)
    return ""


def _misspelled(command: Command) -> str:
    """The fault of a property that nobody knows but that is like one, or of a value that is."""
    for name in command.names:
        if "." in name or command.command not in ("add", "set"):
            continue
        if not property_kinds.known(name):
            near = _did_you_mean(name, list(property_kinds.BY_NAME))
            if near:
                return command.menu + " has no property " + name + near
        value = command.properties[name]
        if value[:1] in "[!$(" or property_kinds.is_name(command.menu, name):
            continue
        if secrets.is_shown(command.menu, name) and not secrets.shows(command.menu, name, value):
            near = _did_you_mean(value, property_kinds.words(name))
            if near:
                return "input does not match any value of " + name + near
    return ""


def _items(rows: Rows, command: Command) -> str:
    """The items that a command could have selected."""
    items = rows.all_of(command.menu)
    named = [item.name for item in items if item.name]
    if not items:
        return "; the export has none in " + command.menu
    if named:
        return "; there is " + few_of(named, MOST_NAMED)
    return "; select one such as " + selector(items[0])


def _did_you_mean(word: str, words: list[str]) -> str:
    near = [[_distance(word, other), other] for other in unique(words) if other != word]
    near = sorted([pair for pair in near if pair[0] <= min(MOST_LETTERS, len(word) // 3)])
    return gettext("; did you mean {word}?").format(word=near[0][1]) if near else ""


def _distance(one: str, other: str) -> int:
    """Letters to add, to leave out, to change, or to swap with the next one."""
    if abs(len(one) - len(other)) > MOST_LETTERS:
        return MOST_LETTERS + 1
    before, row = [0], list(range(len(other) + 1))
    for at, letter in enumerate(one):
        now = [at + 1]
        for index, match in enumerate(other):
            cost = min(row[index] + (letter != match), row[index + 1] + 1, now[index] + 1)
            if index and at and letter == other[index - 1] and match == one[at - 1]:
                cost = min(cost, before[index - 1] + 1)
            now.append(cost)
        before, row = row, now
    return row[-1]
