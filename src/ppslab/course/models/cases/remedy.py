"""The typed commands, applied to the router of the export.

An item's number is the one of the last print, and stays with that item to the end.
"""

from __future__ import annotations

from typing import Any

from ppslab.course.models.cases.asking import HELP, asks_for_help, menu_of, spelled
from rosexplain import menu_words, parse, selection
from rosexplain.commands import selector
from rosexplain.language import gettext
from rosexplain.parse import Command, NoMenu, Unread, parsed
from rosexplain.rows import ADDED, LONGEST, NUMBERS, PLACE, WRITTEN, Rows, rows_of
from rosexplain.typed import NO_ITEM, SO_ALREADY, done

EXPORT = "export"
TYPED = "typed"
"""Names of files: for the router's own lines, and for the learner's."""
QUEUES = "/queue/interface"
USERS = {"/queue/interface": "", "/queue/simple": "default-small", "/queue/tree": "default-small"}
"""Menus of queues, and the type of one that names none."""
OWN = (QUEUES, "/interface/ethernet", "/interface/ethernet/switch/port")
"""Menus whose items the router has of itself: an export does not have them all."""
CONNECTIONS = ("/ip/firewall/connection", "/ipv6/firewall/connection")
ADDRESSES = ("/ip/firewall/address-list", "/ipv6/firewall/address-list")

BEGIN_ANEW = (
    "accepted: open connections end here and start again under the new rules. "
    "It changes nothing in the export, so it costs no move by itself"
)
EMPTIED = (
    "accepted: dynamic addresses leave their list, until a rule adds them again. "
    "It changes nothing in the export, so it costs no move by itself"
)
LOOPS = ("foreach", "for", "while")
SCRIPTS = ("do", "if", "local", "global", "put", "delay", "log", "error", "execute")
"""Words of the script language that a terminal takes without a colon too."""
NO_LOOP = (
    "loops are not run here. One command changes many items: select them with [find], as in "
    '/ip/service/disable [find where name~"ssl"]'
)
NO_SCRIPT = "scripts are not run here. Type the commands alone, one a line"
NOT_BEFORE = (
    " is dynamic: you cannot change it or place a rule before it. [find dynamic=no] leaves it out"
)


class Applied:
    """The router with what was typed.

    `router`: its own lines, `typed`: the commands that are taken; `refused`: the lines that are
    not, [line, why]; `notes`: the lines that change nothing, alike; `changes`: whether any did.
    """

    def __init__(self, router: Any, typed: Any) -> None:
        self.router = router
        self.typed = typed
        self.refused: list[list[str]] = []
        self.notes: list[list[str]] = []
        self.changes = False


_LAST: dict[str, Any] = {}


def router_of(case: dict[str, Any]) -> Any:
    """The router's own lines; the same object as before while the same case is asked."""
    if _LAST.get("export") != case["export"]:
        _LAST["export"], _LAST["router"] = case["export"], parsed(case["export"], EXPORT)
    return _LAST["router"]


def applied(case: dict[str, Any], typed: str, properties: dict[str, list[str]]) -> Applied:
    """Each typed command, in its order, done to the router.

    `properties`: what an add or a set may name, by menu (course.practice.properties); those of
    other menus are not checked.
    """
    result = Applied(router_of(case), parsed(typed, TYPED))
    remedy = result.typed
    result.refused = [[_line(remedy, row.number), _why(row)] for row in remedy.unread]
    remedy.unread = []
    taken: list[Command] = []
    there = rows_of([result.router])
    originals = rows_of([result.router])
    for written in remedy.commands:
        line = _line(remedy, written.number)
        if written.menu in CONNECTIONS and written.command == "remove":
            result.notes.append([line, BEGIN_ANEW])
            continue
        # An export has no dynamic addresses: where it has none at all, only those can go.
        emptied = written.menu in ADDRESSES and not there.all_of(written.menu)
        if emptied and written.command == "remove":
            result.notes.append([line, EMPTIED])
            continue
        why = gettext(HELP) if asks_for_help(line.split()) else _unknown(written)
        why = why or _misspelled(written, properties.get(written.menu))
        commands = [written]
        if not why:
            commands, why = _by_name(case, originals, there, written)
        if not why:
            commands, why = _of_the_router(case, there, commands)
        why = why or _no_table(result.router, there, written)
        changed = False
        for command in commands:
            if not why:
                why, changes = _done(there, command)
                changed = changed or changes
                taken.append(command)
        if why:
            result.refused.append([line, why])
        elif not changed:
            result.notes.append([line, SO_ALREADY])
        result.changes = result.changes or changed
    remedy.commands = taken
    return result


def _line(export: Any, number: int) -> str:
    text: str = export.texts.get(number, "")
    return text


def _why(row: Unread) -> str:
    """Return the reason for an unread line, in a terminal's words where it has any."""
    words = row.typed.strip(":/").replace("/", " ").split()
    if asks_for_help(words):
        return gettext(HELP)
    word = (words or [""])[0]
    if word in LOOPS:
        return NO_LOOP
    if row.typed[:1] == ":" or word in SCRIPTS:
        return NO_SCRIPT
    return (_bad_name(row.typed) if isinstance(row, NoMenu) else "") or row.why


def _bad_name(menu: str) -> str:
    path: list[str] = []
    for word in [piece for piece in menu.split("/") if piece]:
        if menu_words.kind(path, word) != menu_words.MENU:
            return "bad command name " + word
        path.append(word)
    return ""


def _unknown(command: Command) -> str:
    """The fault of a command's menu; empty where the menu is known."""
    if command.menu == "/":
        return "begin the command with its menu, such as /ip/firewall/filter/"
    return _bad_name(command.menu)


def _misspelled(command: Command, known: list[str] | None) -> str:
    """Write shortened properties out; the fault of one that there is not."""
    if known is None or command.command not in ("add", "set"):
        return ""
    for at, name in enumerate(command.names):
        if name in known or "." in name:
            continue
        near = [each for each in known if each.startswith(name)]
        if len(near) > 1:
            return name + " may be " + " or ".join(near)
        if not near:
            return "expected end of command: " + command.menu + " has no property " + name
        command.names[at] = near[0]
        command.properties[near[0]] = command.properties.pop(name)
    return ""


def _by_name(
    case: dict[str, Any], originals: Rows, there: Rows, command: Command
) -> tuple[list[Command], str]:
    """The command with its numbers as selections, once for each; or why they are unclear."""
    try:
        command = _all_picked(case, there, command)
    except ValueError as error:
        return [], str(error)
    selected, properties = command.selected[:], dict(command.properties)
    if NUMBERS in properties:
        selected = [properties.pop(NUMBERS)] + selected
    targets = [name for name in ("destination", PLACE) if _is_number(properties.get(name, ""))]
    numbers = selected[:1] if selected and _is_number(selected[0]) else []
    moved = selected[1:2] if command.command == "move" else []
    menu = originals.menus.get(command.menu)
    if menu is None or not [item for item in menu.rows if item.key == ADDED]:
        return [command], ""
    if not numbers and not targets and not [word for word in moved if _is_number(word)]:
        named = NUMBERS in command.properties
        return [_copy(command, selected, properties) if named else command], ""
    dynamic = _dynamic(case, command.menu)
    if dynamic is None:
        return (
            [],
            "the last print shows only some items: select by [find comment=...], not by number",
        )
    try:
        for name in targets:
            properties[name] = _selection(menu, dynamic, properties[name])
        rest = [_selection(menu, dynamic, w) if _is_number(w) else w for w in selected[1:]]
        firsts = numbers[0].split(",") if numbers else selected[:1]
        firsts = [_selection(menu, dynamic, w) if _is_number(w) else w for w in firsts]
    except ValueError as error:
        return [], str(error)
    return [_copy(command, [first] + rest, properties) for first in firsts or [""]], ""


def _is_number(word: str) -> bool:
    return bool(word) and not word.strip("0123456789,") and word[0] != ","


def _all_picked(case: dict[str, Any], there: Rows, command: Command) -> Command:
    """The command with each `[:pick [find ...] n]` counted without the router's dynamic items."""
    dynamic = _dynamic(case, command.menu)
    if not dynamic or ":pick" not in command.text:
        return command
    selected = [_picked(there, dynamic, command.menu, word) for word in command.selected]
    properties = {
        name: _picked(there, dynamic, command.menu, value)
        for name, value in command.properties.items()
    }
    return _copy(command, selected, properties)


def _picked(there: Rows, dynamic: list[dict[str, str]], menu: str, word: str) -> str:
    """One of them; ValueError where a dynamic item is what it picks."""
    words = parse.split(word[1:-1].strip(" "))[0] if word[:1] == "[" else []
    if len(words) != 3 or words[0] != ":pick" or words[1][:5] != "[find" or not words[2].isdigit():
        return word
    try:
        tree = selection.read(words[1][5:-1], parse.plain)
    except selection.UnknownSelectionError:
        return word  # refused where it is applied
    numbers = [int(one["number"]) for one in dynamic]
    items: list[Any] = [row.stated for row in there.all_of(menu)]
    for at, number in enumerate(numbers):
        items.insert(number, dynamic[at].get)
    wanted, left_out = int(words[2][:LONGEST]), 0
    chosen = 0
    for number, said in enumerate(items):
        if tree is not None and not selection.holds(tree, said):
            continue
        if chosen == wanted and number in numbers:
            raise ValueError("item " + str(number) + ", which this picks," + NOT_BEFORE)
        if chosen == wanted:
            break
        chosen += 1
        left_out += 1 if number in numbers else 0
    return "[:pick " + words[1] + " " + str(wanted - left_out) + "]"


def _dynamic(case: dict[str, Any], menu: str) -> list[dict[str, str]] | None:
    """The items that no export has, of a menu's recorded print: `number`, chain and action.

    None: a print of some items only, whose numbers are others.  Without a print the items are
    numbered as the export has them, behind the rule that FastTrack adds to filter.
    """
    dynamic: list[dict[str, str]] | None = _of_fasttrack(case, menu)
    for output in case["outputs"]:
        words = spelled(output["command"])
        if menu_of(words) != (spelled(menu), "print") or "count-only" in words:
            continue
        if "where" in words:
            dynamic = None
            continue
        dynamic = []
        lines = output["prints"].split("\n")
        for at, line in enumerate(lines):
            cells = line.split()
            if len(cells) < 2 or not cells[0].isdigit() or "D" not in cells[1] or len(cells[1]) > 4:
                continue
            item = {"number": cells[0], "dynamic": "yes"}
            words = cells[2:]
            if words[:1] == [";;;"]:
                item["comment"] = " ".join(words[1:])
                words = lines[at + 1].split() if at + 1 < len(lines) else []
            if menu.startswith("/ip/firewall/") and len(words) > 1:
                item["chain"], item["action"] = words[0], words[1]
            dynamic.append(item)
        return dynamic
    return dynamic


COUNTER = {
    "number": "0",
    "dynamic": "yes",
    "comment": "special dummy rule to show fasttrack counters",
    "chain": "forward",
    "action": "passthrough",
}
"""The first rule of filter in every recorded print of a router with FastTrack."""


def _of_fasttrack(case: dict[str, Any], menu: str) -> list[dict[str, str]]:
    rules = rows_of([router_of(case)]).all_of(menu) if menu == "/ip/firewall/filter" else []
    marks = [row for row in rules if row.on and row.get("action") == "fasttrack-connection"]
    return [dict(COUNTER)] if marks else []


def _selection(menu: Any, dynamic: list[dict[str, str]], word: str) -> str:
    """`[find comment=x]` for a number; ValueError where no item that can be changed has it."""
    number = int(word[:LONGEST]) if word.isdigit() else -1
    before = [one for one in dynamic if int(one["number"]) <= number]
    if before and int(before[-1]["number"]) == number:
        raise ValueError("item " + word + NOT_BEFORE)
    at = number - len(before)
    if not 0 <= at < len(menu.rows):
        raise ValueError("no such item: " + word)
    named = selector(menu.rows[at])
    # One of several alike by its place among them: a line before may have taken some away.
    return "[find " + WRITTEN + "=" + menu.rows[at].first.place + "]" if ":pick" in named else named


def _of_the_router(
    case: dict[str, Any], there: Rows, commands: list[Command]
) -> tuple[list[Command], str]:
    """A command about some of the router's own ports, once for each; or why there is none."""
    command, properties = commands[0], dict(commands[0].properties)
    first = properties.pop(NUMBERS, "") or (command.selected[0] if command.selected else "")
    if command.menu not in OWN:
        return commands, ""
    names: list[str] = []
    if _is_number(first):
        ports = _ports(case, command.menu)
        unknown = [word for word in first.split(",") if word not in ports]
        if unknown:
            return [], "the last print shows no item " + unknown[0]
        names = [ports[word] for word in first.split(",")]
    elif first[:5] == "[find":
        try:
            tree = selection.read(first[5:-1], parse.plain)
        except selection.UnknownSelectionError:
            return commands, ""  # refused where it is applied
        if tree is None or [one for one in selection.equals(tree) if one[0] not in selection.FLAGS]:
            return commands, ""  # all of them, or a port by its name
        rows = {row.name: row for row in there.all_of(command.menu) if row.name}
        every = list(rows)
        for menu in OWN:
            every += [name for name in _ports(case, menu).values() if name not in every]
        names = [n for n in sorted(every) if selection.holds(tree, _port(n, rows.get(n)))]
    else:
        return commands, ""
    return [_copy(command, [name], properties) for name in names], "" if names else NO_ITEM


def _ports(case: dict[str, Any], menu: str) -> dict[str, str]:
    """The ports that the recorded prints of a menu name, by their number."""
    ports: dict[str, str] = {}
    for output in case["outputs"]:
        path, verb = menu_of(spelled(output["command"]))
        if verb != "print" or "/" + "/".join(path) != menu:
            continue
        for line in output["prints"].split("\n"):
            cells = line.split()
            if cells[:1] == ["name:"]:
                # Side by side, without their numbers.
                ports.update({"column " + name: name for name in cells[1:]})
            elif len(cells) > 1 and cells[0].isdigit():
                flags = len(cells) > 2 and cells[1].isupper() and len(cells[1]) < 5
                ports[cells[0]] = cells[2] if flags else cells[1]
    return ports


def _port(name: str, row: Any) -> Any:
    """Return a function that takes a property, and returns the port's value or None.

    `row`: None where no line says anything of the port; its name is known all the same.
    """

    def value(wanted: str) -> str | None:
        own: str | None = row.stated(wanted) if row is not None else None
        return name if own is None and wanted in ("name", "interface", "default-name") else own

    return value


def _copy(command: Command, selected: list[str], properties: dict[str, str]) -> Command:
    copied = Command(command.file, command.number, command.last, command.menu, command.command)
    copied.selected = [word for word in selected if word]
    copied.properties = properties
    copied.names = [name for name in command.names if name in properties]
    return copied


def _done(there: Rows, command: Command) -> tuple[str, bool]:
    """Do what a command says; why it is not taken, empty where it is, and whether it changed."""
    why = _no_queue(there, command)
    return (why, False) if why else done(there, command)


TABLED = {
    "/ip/firewall/mangle": "new-routing-mark",
    "/ip/route": "routing-table",
    "/ipv6/firewall/mangle": "new-routing-mark",
    "/ipv6/route": "routing-table",
    "/routing/rule": "table",
}
"""The property of each menu that names a routing table."""
TABLES = ("/routing/table", "/ip/vrf")


def _no_table(router: Any, there: Rows, command: Command) -> str:
    """A terminal's error for a routing table that is not there: the fact routing-table-before-use.

    RouterOS 6 makes a table where a line names it.
    """
    name = command.properties.get(TABLED.get(command.menu, ""), "")
    version = router.header.get("version", ("", 0))[0]
    if not name or name == "main" or version.startswith("6."):
        return ""
    if name in [row.name for menu in TABLES for row in there.all_of(menu)]:
        return ""
    return "input does not match any value of " + TABLED[command.menu] + ": no such routing table"


def _no_queue(there: Rows, command: Command) -> str:
    """A terminal's error for a queue type that is neither added nor one of the router's own."""
    if command.menu not in USERS or "queue" not in command.properties:
        return ""
    types = [row.name for row in there.all_of("/queue/type")]
    for name in command.properties["queue"].split("/"):
        # A board may have more of its own than TYPES, all with this word.
        if (
            name not in types
            and name not in ("only-hardware-queue", "no-queue")
            and "default" not in name
        ):
            return "input does not match any value of queue: there is no /queue/type " + name
    return ""
