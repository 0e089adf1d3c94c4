"""Cases: a slow router that prints what it is asked, and the judging of what is typed to fix it.

A case is the data of a file of ppslab.course.cases (`plain` there).  Everything here is a function
of a case and of what the learner did so far, which the host keeps: the page, the terminal.

A move is a command that the router answers, a wrong cause, a remedy that is not yet one, or a
hint.  A command that was asked before, or that has no answer here, costs nothing.
"""

from __future__ import annotations

import re
from typing import Any

from ppslab.course.tasks.engine import judging, rows
from rosexplain import firewall, parse, report, selection
from rosexplain.classify import explain, trace_packet
from rosexplain.commands import selector
from rosexplain.parse import (
    ADDED,
    CHANGES,
    LONGEST,
    NUMBERS,
    PLACE,
    WRITTEN,
    Command,
    NoMenu,
    Rows,
    Unread,
    parsed,
    rows_of,
)
from rosexplain.printed import of_prompt

TITLE = "Twelve slow routers"

CONTROLS: list[dict[str, Any]] = [
    {"kind": "text", "name": "case", "label": "The case", "value": ""},
    {"kind": "text", "name": "do", "label": "What to do: ask, cause or judge", "value": "ask"},
    {"kind": "text", "name": "text", "label": "What was typed", "value": ""},
]

EXPORT = "export"
TYPED = "typed"
"""The files that the router's lines and the learner's are said to be of."""

IDLE_WORDS = ("without-paging", "once", "terse", "compact", "hide-sensitive", "show-sensitive")
"""Words behind a command that change nothing of what is recorded."""
ASKING = ("print", "export", "profile", "monitor", "monitor-traffic", "ping", "torch")
"""Verbs of commands that only look."""
LOOSE = ("count", "interval", "duration", "freeze-frame-interval")
"""What may be said of a command that prints the same for longer, or more often."""
QUEUES = "/queue/interface"
USERS = {"/queue/interface": "", "/queue/simple": "default-small", "/queue/tree": "default-small"}
"""Menus of queues, and the type of one that names none."""
TYPES = {
    "default": {"kind": "pfifo", "pfifo-limit": "50"},
    "default-small": {"kind": "pfifo", "pfifo-limit": "10"},
    "ethernet-default": {"kind": "pfifo", "pfifo-limit": "50"},
    "multi-queue-ethernet-default": {"kind": "mq-pfifo", "mq-pfifo-limit": "50"},
    "only-hardware-queue": {"kind": "none"},
    "wireless-default": {"kind": "sfq"},
    "hotspot-default": {"kind": "sfq"},
    "synchronous-default": {"kind": "red"},
    "pcq-upload-default": {"kind": "pcq", "pcq-classifier": "src-address", "pcq-rate": "0"},
    "pcq-download-default": {"kind": "pcq", "pcq-classifier": "dst-address", "pcq-rate": "0"},
}
"""The types of queues that every router has."""
LIMITS = {"pfifo": "pfifo-limit", "mq-pfifo": "mq-pfifo-limit"}
PLAIN = "abcdefghijklmnopqrstuvwxyz0123456789-|"
"""Letters of words of which one must match."""
OWN = (QUEUES, "/interface/ethernet", "/interface/ethernet/switch/port")
"""Menus whose items the router has of itself: an export does not have them all."""
CONNECTIONS = ("/ip/firewall/connection", "/ipv6/firewall/connection")

BEGIN_ANEW = (
    "taken: connections that are open end here and begin anew, by the rules that there are then. "
    "It changes nothing of the export, and is no move by itself"
)
SO_ALREADY = "it changes nothing: it is so already"
NO_ITEM = "it changes nothing: no item is selected"


# ------------------------------------------------------------------------------------------------
# What the router prints.


def spelled(command: str) -> list[str]:
    """The words of a command, however it is spelled: `/ip settings print`, `/ip/settings/print`.

    A prompt in front is no part of it, and words that change nothing are left out.
    """
    line = command.strip(" \t")
    line = of_prompt(line) or line
    line = line[5:] if line.startswith("/tool/ping") or line.startswith("/tool ping") else line
    words: list[str] = []
    arguments = False
    for token in line.split():
        arguments = arguments or "=" in token
        pieces = [token] if arguments else token.split("/")
        words += [piece for piece in pieces if piece and piece not in IDLE_WORDS]
    return words


def recorded(case: dict[str, Any]) -> list[str]:
    """The commands that the router of a case answers."""
    return ["/export"] + [output["command"] for output in case["outputs"]]


def ask(case: dict[str, Any], command: str) -> dict[str, Any]:
    """What the router answers: `text`, and the `command` in full, empty where it is no move.

    Words may be shortened as in RouterOS's terminal, as long as one command alone is meant.
    """
    words = spelled(command)
    if not words:
        return _no_move("Type a command that prints something, such as /system/resource/print.")
    answers = {"/export": case["export"]}
    for output in case["outputs"]:
        answers[output["command"]] = output["prints"]
    exact = [name for name in recorded(case) if spelled(name) == words]
    short = [name for name in recorded(case) if _shortened(words, spelled(name))]
    if exact or len(short) == 1:
        name = (exact or short)[0]
        return {"text": answers[name].rstrip("\n"), "command": name}
    covering = [name for name in recorded(case)[1:] if _covers(words, spelled(name), answers[name])]
    if covering:
        head = "(Recorded of " + covering[0] + ")\n"
        return {"text": head + answers[covering[0]].rstrip("\n"), "command": covering[0]}
    if words[-1] == "export" and len(words) > 1 and not short:
        return _section(case, words[:-1])
    return _no_move(_unanswered(case, words, short))


def _no_move(text: str) -> dict[str, Any]:
    return {"text": text, "command": ""}


def _shortened(words: list[str], full: list[str]) -> bool:
    """Whether each word begins the one at its place."""
    if len(words) != len(full):
        return False
    return all(full[at].startswith(words[at]) for at in range(len(words)))


def _section(case: dict[str, Any], path: list[str]) -> dict[str, Any]:
    """`/ip/firewall/export`: the lines of the export in a menu and in those below it."""
    menu = "/" + "/".join(path)
    export = parsed(case["export"], EXPORT)
    lines: list[str] = []
    last = ""
    for command in export.commands:
        if command.menu != menu and not command.menu.startswith(menu + "/"):
            continue
        if command.menu != last:
            lines.append(command.menu.replace("/", " ").replace(" ", "/", 1))
            last = command.menu
        lines.append(export.texts[command.number])
    if not lines:
        return _no_move(_unanswered(case, path + ["export"]))
    return {"text": "\n".join(lines), "command": menu + "/export"}


def _covers(words: list[str], full: list[str], prints: str) -> bool:
    """Whether what was recorded is of what is asked for, though it was asked in other words.

    Of `print where`, all rows do for some, and some for all; numbers of rows do not.
    """
    path, verb = _menu(full)
    head = len(path) + 1
    if not verb or len(words) < head or not _shortened(words[:head], full[:head]):
        return False
    mine, theirs = _Words(words[head:]), _Words(full[head:])
    if verb == "print":
        return _covers_rows(mine, theirs, '="' in prints)
    if mine.where or theirs.where:
        return False
    if verb in ("monitor", "monitor-traffic"):
        one, other = mine.items(), theirs.items()
        return not one or all(item in other for item in one) or all(item in one for item in other)
    same = sorted(mine.plain) == sorted(theirs.plain)
    return same and (verb == "profile" or (verb == "ping" and mine.values == theirs.values))


def _covers_rows(mine: _Words, theirs: _Words, detail: bool) -> bool:
    """`detail`: what was recorded is printed as print detail does."""
    if detail:
        mine.plain, theirs.plain = _without(mine.plain), _without(theirs.plain)
    if sorted(mine.plain) != sorted(theirs.plain) or mine.values != theirs.values:
        return False
    same = mine.where == theirs.where
    return same or ("count-only" not in mine.plain and not (mine.where and theirs.where))


def _without(words: list[str]) -> list[str]:
    return [word for word in words if word != "detail"]


class _Words:
    """The words behind a command: `plain` ones, `values` by name, and what stands behind where."""

    def __init__(self, words: list[str]) -> None:
        self.plain: list[str] = []
        self.values: dict[str, str] = {}
        self.where: list[str] = []
        depth = 0
        for at, word in enumerate(words):
            if word == "where" and not depth:
                self.where = [each.replace('"', "") for each in words[at + 1 :]]
                break
            name, equals, value = word.partition("=")
            inside = depth
            depth += word.count("[") - word.count("]")
            if inside or word[0] == "[":
                self.plain += ["[find]"] if not inside else []
            elif name in ("address", "interface", "numbers") and equals:
                self.plain.append(value)
            elif equals and name not in LOOSE:
                self.values[name] = value
            elif not equals:
                self.plain.append(word)

    def items(self) -> list[str]:
        """The ports that are named; none: all of them."""
        items = [item for word in self.plain for item in word.split(",")]
        return [] if "[find]" in items else items


def _unanswered(case: dict[str, Any], words: list[str], short: list[str] | None = None) -> str:
    """Why there is no answer, and of which menus there is one; what decides is not named.

    `short`: the commands that these words are short for, if there are several.
    """
    if short:
        return "This may be " + " or ".join(_forms(short)) + "."
    if any(word in CHANGES for word in words):
        return "This changes the router. Name the cause first, then type the remedy."
    menus: list[str] = []
    for name in recorded(case):
        path, verb = _menu(spelled(name))
        menu = "/" + "/".join(path + ([] if verb == "print" else [verb]))
        if verb and menu not in menus:
            menus.append(menu)
    there = "Recorded here: outputs of " + ", ".join(menus) + "."
    path, verb = _menu(words)
    if not verb and path != words:
        return "bad command name " + words[len(path)] + ". " + there
    if not verb:
        menu = "/" + "/".join(path)
        here = [one for one in menus if one == menu or one.startswith(menu + "/")]
        what = "put print behind it" if here else "nothing that matters here was recorded of it"
        return menu + " is a menu: " + what + ". " + there
    near = [name for name in recorded(case) if _menu(spelled(name)) == (path, verb)]
    if near:
        forms = " and ".join(_forms(near))
        return "Not recorded in this form, so it is no move. Recorded in its place: " + forms
    command = "/" + "/".join(path + [verb])
    says = "A router would answer " + command + ", but nothing that matters here was recorded of it"
    return says + ": no move. " + there


def _forms(names: list[str]) -> list[str]:
    """Commands without what they name and select, each once."""
    forms: list[str] = []
    for name in names:
        words = spelled(name)
        path, verb = _menu(words)
        rest = _Words(words[len(path) + 1 :])
        form = "/" + "/".join(path + [verb])
        if verb == "print":
            form = " ".join([form] + rest.plain + (["where …"] if rest.where else []))
        elif rest.plain or rest.values:
            form += " …"
        if form not in forms:
            forms.append(form)
    return forms


def _menu(words: list[str]) -> tuple[list[str], str]:
    """The menu of a command and its verb; no verb where the words end or are not known before."""
    path: list[str] = []
    for word in words:
        kind = parse.kind(path, word)
        if word in ASKING or (kind == parse.COMMAND and word not in CHANGES):
            return path, word
        if kind != parse.MENU:
            break
        path.append(word)
    return path, ""


# ------------------------------------------------------------------------------------------------
# The cause, and the remedy.


def cause(case: dict[str, Any], name: str) -> dict[str, Any]:
    """Whether a cause is the one, `right`, and what `says` why not.  ValueError: no such cause."""
    for one in case["causes"]:
        if one["name"] == name:
            why = one.get("but")
            return {"right": not why, "says": why or one["text"] + "."}
    names = ", ".join([one["name"] for one in case["causes"]])
    raise ValueError("no cause " + repr(name) + ": there are " + names)


def judge(
    case: dict[str, Any],
    typed: str,
    base: dict[str, Any],
    properties: dict[str, list[str]] | None = None,
) -> dict[str, Any]:
    """The router after the commands that were typed.

    `properties`: what an add or a set may name, by menu (course.cases.properties); those of other
    menus are not checked.

    `refused`: the lines that are not taken, [line, why]; where there is one, nothing is judged.
    `notes`: the lines that are taken and change nothing of the export, alike.  `findings`: of each
    check [what it looks at, pass or fail, what it says, what is there]; `solved`; `counts`: whether
    it is a move, as it is if it was judged and a command changed the router.
    """
    router, remedy = parsed(case["export"], EXPORT), parsed(typed, TYPED)
    refused = [[_line(remedy, row.number), _why(row)] for row in remedy.unread]
    remedy.unread = []
    notes: list[list[str]] = []
    taken: list[Command] = []
    there = rows_of([router])
    originals = rows_of([router])
    for written in remedy.commands:
        line = _line(remedy, written.number)
        if written.menu in CONNECTIONS and written.command == "remove":
            notes.append([line, BEGIN_ANEW])
            continue
        why = _unknown(written) or _misspelled(written, (properties or {}).get(written.menu))
        commands = [written]
        if not why:
            commands, why = _by_name(case, originals, there, written)
        if not why:
            commands, why = _of_the_router(case, there, commands)
        changed = False
        for command in commands:
            if not why:
                why, changes = _done(there, command)
                changed = changed or changes
                taken.append(command)
        if why:
            refused.append([line, why])
        elif not changed:
            notes.append([line, SO_ALREADY])
    if refused:
        return _judged(refused, notes, [], False)
    remedy.commands = taken
    explanation = explain([router, remedy], base)
    findings = [_finding(check, explanation) for check in case["check"]]
    idle = [one for one in notes if one[1] == SO_ALREADY]
    return _judged(refused, notes, findings, len(remedy.commands) > len(idle))


def _judged(
    refused: list[list[str]], notes: list[list[str]], findings: list[list[str]], counts: bool
) -> dict[str, Any]:
    return {
        "refused": refused,
        "notes": notes,
        "findings": findings,
        "solved": bool(findings) and all(one[1] == "pass" for one in findings),
        "counts": counts,
    }


def _line(export: Any, number: int) -> str:
    text: str = export.texts.get(number, "")
    return text


def _why(row: Unread) -> str:
    """Why a line was not read, in the words of a terminal where it has any."""
    return (_bad_name(row.typed) if isinstance(row, NoMenu) else "") or row.why


def _unknown(command: Command) -> str:
    """What is wrong with the menu of a command; empty where it is one that is known."""
    if command.menu == "/":
        return "a command needs its menu in front, such as /ip/firewall/filter/"
    return _bad_name(command.menu)


def _misspelled(command: Command, known: list[str] | None) -> str:
    """Write shortened properties out; what is wrong with one that is none."""
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


def _bad_name(menu: str) -> str:
    path: list[str] = []
    for word in [piece for piece in menu.split("/") if piece]:
        if parse.kind(path, word) != parse.MENU:
            return "bad command name " + word
        path.append(word)
    return ""


def _done(there: Rows, command: Command) -> tuple[str, bool]:
    """Do what a command says; why it is not taken, empty where it is, and whether it changed."""
    why = _no_queue(there, command)
    if why:
        return why, False
    before, unread = _state(there, command.menu), len(there.unread)
    there.take(command)
    if len(there.unread) > unread:
        why = there.unread[unread].why
        return (NO_ITEM + ", or none to move it to" if why.startswith("the order") else why), False
    items = there.menus[command.menu].rows
    added = [item for item in items if item.key == ADDED]
    if added and [item for item in items if item.first is command and item.key != ADDED]:
        return "no such item in " + command.menu, False
    if _state(there, command.menu) != before:
        return "", True
    return (NO_ITEM if there.selected(command) == [] else ""), False


def _no_queue(there: Rows, command: Command) -> str:
    """What a terminal says of a queue whose type is neither made nor one of the router's own."""
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


def _state(there: Rows, path: str) -> list[Any]:
    menu = there.menus.get(path)
    return [_plain(item) for item in menu.rows if not item.removed] if menu else []


# ------------------------------------------------------------------------------------------------
# Numbers of items, which are those of the last print: each is the same item to the end.


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
            return [], "numbers are those of the last print, which names no item " + unknown[0]
        names = [ports[word] for word in first.split(",")]
    elif first[:5] == "[find":
        try:
            tree = selection.read(first[5:-1], parse.plain)
        except selection.UnknownSelectionError:
            return commands, ""  # said by whoever does it
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


def _port(name: str, row: Any) -> Any:
    """What a port says of a property: its name stands for each of its names."""

    def said(wanted: str) -> str | None:
        own: str | None = row.said(wanted) if row is not None else None
        return name if own is None and wanted in ("name", "interface", "default-name") else own

    return said


def _ports(case: dict[str, Any], menu: str) -> dict[str, str]:
    """The ports that the recorded prints of a menu name, by their number."""
    ports: dict[str, str] = {}
    for output in case["outputs"]:
        path, verb = _menu(spelled(output["command"]))
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


def _by_name(
    case: dict[str, Any], originals: Rows, there: Rows, command: Command
) -> tuple[list[Command], str]:
    """The command with its numbers as selections, once for each; or why they say nothing here."""
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
        return [], "numbers are those of the last print: name the item, as by [find comment=...]"
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


def _dynamic(case: dict[str, Any], menu: str) -> list[dict[str, str]] | None:
    """The items that no export has, of a menu's recorded print: `number`, chain and action.

    None: a print of some items only, whose numbers are others.  Without a print the items are
    numbered as the export has them.
    """
    dynamic: list[dict[str, str]] | None = []
    for output in case["outputs"]:
        words = spelled(output["command"])
        if _menu(words) != (spelled(menu), "print") or "count-only" in words:
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


NOT_BEFORE = (
    " is dynamic: it cannot be changed, and nothing can stand before it. "
    "[find dynamic=no] leaves it out"
)


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
        return word  # said by whoever does it
    numbers = [int(one["number"]) for one in dynamic]
    items: list[Any] = [row.said for row in there.all_of(menu)]
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


def _copy(command: Command, selected: list[str], properties: dict[str, str]) -> Command:
    copied = Command(command.file, command.number, command.last, command.menu, command.command)
    copied.selected = [word for word in selected if word]
    copied.properties = properties
    copied.names = [name for name in command.names if name in properties]
    return copied


# ------------------------------------------------------------------------------------------------
# The checks.


class _Check:
    """A check of rows, as `tasks.engine.rows` asks for it."""

    def __init__(self, check: dict[str, Any]) -> None:
        self.menu: str = check["menu"]
        self.where: dict[str, str] = check.get("where") or {}
        self.or_where: dict[str, str] = check.get("or_where") or {}
        self.rows: int | None = check.get("rows")
        self.expect: dict[str, str] = check.get("expect") or {}
        self.before: dict[str, str] | None = check.get("before")


def _finding(check: dict[str, Any], explanation: Any) -> list[str]:
    good, lines = False, []
    every = check.get("any") or [[check]]
    asked = _asked([look for looks in every for look in looks])
    for looks in every:
        looked = [_look(look, explanation, asked) for look in looks]
        good = good or all(one[0] for one in looked)
        for one in looked:
            for line in one[1].split("\n"):
                if line and line not in lines:
                    lines.append(line)
    state = "pass" if good else "fail"
    return [check["says"], state, check[state], "\n".join(lines)]


def _asked(looks: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The properties that are asked about, by menu: each row is shown once, with all of them."""
    asked: dict[str, list[str]] = {}
    for look in looks:
        if look.get("menu"):
            names = sorted(look.get("where") or {}) + sorted(look.get("expect") or {})
            known = asked.setdefault(look["menu"], [])
            known += [name for name in names if name not in known]
    return asked


def _look(look: dict[str, Any], explanation: Any, asked: dict[str, list[str]]) -> tuple[bool, str]:
    """Whether what a check looks at is as it must be, and what is there."""
    if look.get("packet"):
        ways = trace_packet(explanation, firewall.parsed(look["packet"]))["path"]
        good, seen = _on(ways, look)
        return good, look["packet"] + ": " + seen
    if look.get("class"):
        verdicts = [one for one in explanation.classes if one.traffic.name == look["class"]]
        good, seen = _on([way for one in verdicts for way in one.ways], look)
        return good, "; ".join([one.traffic.title for one in verdicts]) + ": " + seen
    if look.get("rule"):
        lines = explanation.met.get(look["rule"], [])
        named = "\n".join([line.text for line in lines[: rows.SHOWN]])
        return (look["rule"] in explanation.met) == look["met"], named
    menu, every = look["menu"], explanation.net.rows.all_of
    there = [_plain(row) for row in every(menu)]
    if menu in USERS:
        types = _types([_plain(row) for row in every("/queue/type")])
        there = [_with_type(row, menu, types) for row in there]
    names = asked[menu]
    steps = rows.look(_Check(look), there, rows.typed_alike, lambda row, _: _short(row, names))
    good, seen = judging.play(steps, _matches)
    # Its first line counts the rows: of use to whoever writes a check.
    lines = [line for line in seen.split("\n")[1:] if line.strip() and line != "(none)"]
    return good, "\n".join([menu + ": " + line for line in lines])


def _short(row: dict[str, str], asked: list[str]) -> str:
    """A row in short: which one it is, and the properties that are asked about."""
    which = [name for name in ("name", "interface", "comment") if row.get(name)][:1]
    return rows.in_short(row, which + asked)


def _matches(request: Any) -> bool:
    expression, text = request[1], request[2]
    words = expression[2:-2]
    if expression == "^(" + words + ")$" and all(letter in PLAIN for letter in words):
        return text in words.split("|")  # MicroPython's expressions are short
    return re.search(expression, text) is not None


def _on(ways: list[str], check: dict[str, Any]) -> tuple[bool, str]:
    """Whether all ways are among those that a check allows, and the ways in words."""
    good = bool(ways) and all(way in check["path"] for way in ways)
    return good, " or ".join([report.path_of(way) for way in ways]) or "no such packets pass"


def _plain(row: Any) -> dict[str, str]:
    """A row's properties by name, as they were typed."""
    values = {name: row.get(name) for name in row.names + list(row.menu.every)}
    # A port's queue is a row that the router has of itself: `set ether1 queue=x` says no property.
    name = "interface" if row.menu.path == QUEUES else "name"
    if row.name and name not in values:
        values[name] = row.name
    return values


def _types(typed: list[dict[str, str]]) -> dict[str, dict[str, str]]:
    """The router's queue types by name: those that it has of itself, and what was typed."""
    types = {name: dict(TYPES[name]) for name in TYPES}
    for row in typed:
        name = row.get("name", "")
        types[name] = dict(types.get(name) or {})
        types[name].update(row)
        limit = LIMITS.get(types[name].get("kind", ""))
        if limit and limit not in types[name]:
            types[name][limit] = "50"
    return types


def _with_type(row: dict[str, str], menu: str, types: dict[str, dict[str, str]]) -> dict[str, str]:
    """A queue's row with what its type says, as `queue.kind`; of a simple queue `up.`, `down.`."""
    names = (row.get("queue") or USERS[menu]).split("/")
    sides = ["up", "down"] if menu == "/queue/simple" else ["queue"]
    whole = dict(row)
    for at, side in enumerate(sides):
        of = types.get(names[at] if at < len(names) else names[0]) or {}
        for name in of:
            whole[side + "." + name] = of[name]
    return whole


# ------------------------------------------------------------------------------------------------
# The score.


def score(
    case: dict[str, Any], asked: int, hints: int, wrong: int, read: bool = False
) -> dict[str, Any]:
    """The moves so far beside the par: `moves`, `par`, `aided`, and a sentence.

    `asked`: commands that the router answered, each counted once; `hints`: hints read; `wrong`:
    wrong causes and remedies that were not yet one; `read`: whether the solution was read.
    """
    moves = asked + hints + wrong
    text = _count(moves, "move") + "; par is " + str(case["par"]) + "."
    if hints or read:
        text += " With help (" + (_count(hints, "hint") if hints else "a look at the solution")
        text += ") it does not count as solved unaided."
    return {"moves": moves, "par": case["par"], "aided": bool(hints) or read, "says": text}


def _count(number: int, what: str) -> str:
    return str(number) + " " + what + ("" if number == 1 else "s")


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """For a page: `ask`, `cause`, `judge` or `score` of a case by its name.

    Inputs: `case`, `do`, and `text`, what was typed; for a score its numbers.  Facts: `base`,
    `cases`, `properties`.
    """
    case = facts["cases"].get(inputs["case"])
    if case is None:
        return {"problem": {"input": "case", "says": "There is no such case."}}
    if inputs["do"] == "score":
        return score(case, inputs["asked"], inputs["hints"], inputs["wrong"], inputs["read"])
    if inputs["do"] == "judge":
        return judge(case, inputs["text"], facts["base"], facts.get("properties"))
    if inputs["do"] == "cause":
        try:
            return cause(case, inputs["text"])
        except ValueError as error:
            return {"problem": {"input": "text", "says": str(error)}}
    return ask(case, inputs["text"])
