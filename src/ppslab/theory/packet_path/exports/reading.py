"""The text of an export as commands: menu, verb, words, file and line, in what MicroPython has.

Exports of RouterOS 6 and 7 are read, compact, terse and verbose.  What is no command of an export,
as the script language, is kept as `Unread` with the reason, so that nothing vanishes in silence.
One pass over the letters: the time grows as the text does.
"""

from __future__ import annotations

from ppslab.theory.packet_path.exports import lines, menus

CHANGES = ("add", "set", "remove", "enable", "disable", "unset", "move", "stop")
"""Verbs that say what is configured."""

NAMED = ("model", "software id", "system id", "serial number")
TOLD = ("version", "board-name")
"""What the comments at the head of an export say, with `=` and with a colon."""

FORWARDS = ("CAPsMAN forwarding", "local forwarding")
"""What the comment above a radio of a CAP says, who forwards what it receives."""

_OPEN, _CLOSE = "[{(", "]})"
_HEX = "0123456789ABCDEFabcdef"
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "_": " "}


class Command:
    """One command: `number` and `last` are the 1-based lines that it begins and ends on.

    `properties`: values by name, without quotes, `names` in their order; `find`: what stands in
    [find ...] of a set, or the number or name that it sets.
    """

    def __init__(self, file: str, number: int, last: int, menu: str, command: str) -> None:
        self.file = file
        self.number = number
        self.last = last
        self.menu = menu
        self.command = command
        self.properties: dict[str, str] = {}
        self.names: list[str] = []
        self.selected: list[str] = []

    @property
    def find(self) -> str:
        """What the command is about, as it is written."""
        return " ".join(self.selected)

    @property
    def place(self) -> str:
        """`router.rsc:12`."""
        return self.file + ":" + str(self.number)

    @property
    def text(self) -> str:
        """The command in one line."""
        named = [name + "=" + self.properties[name] for name in self.names]
        return " ".join([self.menu, self.command] + self.selected + named)


class Unread:
    """A line that is no command of an export: where it is, how it begins, and why.

    `begins`: its first words as far as they are menus' or commands'; anything else may be a secret.
    `typed`: as it is written, for whoever typed it.
    """

    def __init__(self, file: str, number: int, begins: str, why: str) -> None:
        self.file = file
        self.number = number
        self.begins = menus.known(begins)
        self.typed = begins
        self.why = why


class NoMenu(Unread):
    """A line that enters no menu that is known here: a command, or a menu of another version."""


class Export:
    """A file that was read.  `header`: what its first comments say, by name."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.commands: list[Command] = []
        self.unread: list[Unread] = []
        self.header: dict[str, tuple[str, int]] = {}
        self.texts: dict[int, str] = {}
        """Each line, joined to those that go on with it, by the number that it begins on."""
        self.order: list[int] = []
        self.asked: list[Command] = []
        """What only asks, as print and export."""
        self.menu: list[str] = []
        """The menu that the last line left one in."""
        self.menus = 0
        """Lines that only enter a menu; a terse export has none."""


def parsed(text: str, file: str, menu: list[str] | None = None) -> Export:
    """The commands of a text, in their order; `menu`: the one that its first line stands in."""
    export = Export(file)
    menu = menu or []
    blocks: list[list[str]] = []
    for number, last, line in lines.joined(text):
        export.texts[number] = line
        export.order.append(number)
        if line[0] == "#":
            _header(export, number, line)
            continue
        line = lines.after_prompt(line)  # noqa: PLW2901
        if not line:
            continue
        if blocks and line == "}":
            menu = blocks.pop()
            continue
        if line[0] in ":{}$;":
            begins = line.split(" ")[0][:20]
            export.unread.append(Unread(file, number, begins, "a script: it is not run here"))
            continue
        tokens, whole = split(line)
        opens = _block(tokens) if line[0] == "/" or blocks else 0
        if opens:
            inside = _path(menu, tokens[:opens])[0]
            rest = " ".join(tokens[opens:])[1:]
            if whole and rest.endswith("}"):
                _in_block(export, inside, rest[:-1], number, last)
                continue
            blocks.append(menu)
            menu = inside
            _in_block(export, menu, rest, number, last)
            continue
        closes = bool(blocks) and tokens[-1] == "}"
        tokens = tokens[:-1] if closes else tokens
        if not whole:
            why = "a quote or a bracket does not end: read as far as it goes"
            export.unread.append(Unread(file, number, tokens[0][:20], why))
        tokens, behind = lines.unglued(tokens)
        menu = _command(export, menu, tokens, number, last)
        if behind:
            why = "not read: it stands right behind the end of a quote"
            export.unread.append(Unread(file, number, " ".join(behind)[:20], why))
            if behind[0][0] == "/":  # another line was pasted there
                menu = _command(export, menu, behind, number, last)
        menu = blocks.pop() if closes else menu
    export.menu = menu
    return export


def _block(tokens: list[str]) -> int:
    """Where a block begins in a line such as `/ip firewall { filter add ... }`; 0: nowhere."""
    for index in range(len(tokens)):
        word = tokens[index]
        if word[0] == "{":
            return index
        if "=" in word or word in menus.VERBS or word[0] in '["(':
            return 0
    return 0


def _in_block(export: Export, menu: list[str], text: str, number: int, last: int) -> None:
    """Take the commands of a block that stand in one line, each ended by a semicolon."""
    own: list[str] = []
    for word in split(text)[0] + [";"]:
        ends = word[-1] == ";"
        own += [word.rstrip(";")] if word.rstrip(";") else []
        if not ends or not own:
            continue
        opens = _block(own)
        if opens:
            inner = " ".join(own[opens:])[1:].rstrip("}")
            _in_block(export, _path(menu, own[:opens])[0], inner, number, last)
        else:
            _command(export, menu, own, number, last)
        own = []


def _header(export: Export, number: int, line: str) -> None:
    comment = line.lstrip("# ")
    at = comment.find("by RouterOS ")
    if at >= 0:
        words = comment[at + 12 :].split(" ")
        export.header["version"] = (words[0], number)
        return
    if comment.startswith("RouterOS ") and "version" not in export.header and not export.commands:
        # A person or a tool shortened the line; a sentence about RouterOS stands behind commands.
        word = comment[9:].strip(" ").split(" ")[0].lstrip("v")
        if word[:2] in ("6.", "7.") and word[2:3].isdigit():
            export.header["version"] = (word, number)
        return
    for name in FORWARDS:  # RouterOS writes it above a radio: channel, SSID, who forwards
        if comment.startswith("channel: ") and comment.endswith(", " + name):
            export.header.setdefault(name, (name, number))
    for name in NAMED:
        if comment.startswith(name + " ="):
            export.header[name] = (comment[len(name) + 2 :].strip(" "), number)
    for name in TOLD:  # oxidized puts /system/resource/print in front of an export
        if comment.startswith(name + ": ") and name not in export.header:
            said = comment[len(name) + 2 :].strip(" ")
            export.header[name] = (said.split(" ")[0] if name == "version" else said, number)


def split(line: str) -> tuple[list[str], bool]:
    """The words of a line, quotes and brackets whole; and whether each of those ends."""
    if '"' not in line and "[" not in line and "{" not in line and "(" not in line:
        return line.split(), True
    words: list[str] = []
    length = len(line)
    at, depth, begin = 0, 0, -1
    while at < length:
        letter = line[at]
        if letter == '"':
            begin = at if begin < 0 else begin
            at = lines.end_of_quote(line, at)
            if at < 0:
                words.append(line[begin:])
                return words, False
        elif letter in " \t" and depth == 0:
            if begin >= 0:
                words.append(line[begin:at])
            begin = -1
        else:
            begin = at if begin < 0 else begin
            if letter in _OPEN:
                depth += 1
            elif letter in _CLOSE and depth:
                depth -= 1
        at += 1
    if begin >= 0:
        words.append(line[begin:])
    return words, depth == 0


def _command(
    export: Export, menu: list[str], tokens: list[str], number: int, last: int
) -> list[str]:
    """Take one line; the menu that the next one stands in."""
    path, rest = menu, tokens[1:]
    verb: str | None = tokens[0]
    if verb not in menus.VERBS:
        path, verb, rest = _path(menu, tokens)
    if verb is None:
        if rest:
            begins = " ".join(["/" + "/".join(path)] + [word.split("=")[0] for word in rest[:1]])
            why = "no verb that is known here: " + ", ".join(CHANGES)
            export.unread.append(Unread(export.file, number, begins[:60], why))
            return menu
        return _entered(export, menu, path, number, tokens[0][0] == "/")
    command = Command(export.file, number, last, "/" + "/".join(path), verb)
    _words(command, rest)
    if verb not in CHANGES:
        export.asked.append(command)
        return menu
    if ";" in rest or (rest and rest[-1].endswith(";")):
        why = "several commands in one line: only the first is read"
        export.unread.append(Unread(export.file, number, command.menu, why))
    export.commands.append(command)
    # A line that begins with / and has a verb leaves the menu of those behind it as it was.
    return menu


def _entered(
    export: Export, menu: list[str], path: list[str], number: int, whole: bool
) -> list[str]:
    """The menu behind a line without a verb: its own, if RouterOS has one of that name."""
    # A menu that the line before already stood in is not asked about again.
    above = len(menu) if path[: len(menu)] == menu else 0
    for index in range(above, len(path)):
        told = menus.kind(path[:index], path[index])
        if told == menus.MENU:
            continue
        begins = ("/" + "/".join(path))[:60]
        if told == menus.COMMAND or not whole or not menus.might_be(path[:index], path[index]):
            why = "a command that is not read here; the menu stays as it was"
            export.unread.append(NoMenu(export.file, number, begins, why))
            return menu
        if any(menus.kind([], word) == menus.COMMAND for word in path[index + 1 :]):
            continue
        why = "a menu that is not known here: the lines behind it are taken as its own"
        export.unread.append(NoMenu(export.file, number, begins, why))
        break
    export.menus += 1
    return path


def _path(menu: list[str], tokens: list[str]) -> tuple[list[str], str | None, list[str]]:
    path = [] if tokens[0][0] == "/" else menu[:]
    for index, token in enumerate(tokens):
        if "=" in token or token[0] in '["{(!*':
            return path, None, tokens[index:]
        pieces = [piece for piece in token.split("/") if piece]
        for place, piece in enumerate(pieces):
            if piece in menus.VERBS and place == len(pieces) - 1:
                return path, piece, tokens[index + 1 :]
            path = path[:-1] if piece == ".." else path + [piece]
    return path, None, []


def _words(command: Command, rest: list[str]) -> None:
    begins = ""
    for token in rest:
        if token == ";":
            return
        name, equals, value = token.partition("=")
        if token[0] in '["{(' or not equals:
            if token[0] == "!" and len(token) > 1:
                _put(command, token[1:], "")
            elif not command.names or token[0] in '["{(':
                command.selected.append(token)
            else:
                # `add ... disabled`, a flag in its short form; anything else is kept as it stands.
                _put(command, token, "yes")
            continue
        if name.startswith("."):
            name = begins + name
        elif "." in name:
            begins = name.rpartition(".")[0]
        else:
            begins = ""
        _put(command, name, plain(value))


def _put(command: Command, name: str, value: str) -> None:
    if name not in command.properties:
        command.names.append(name)
    command.properties[name] = value


def plain(value: str) -> str:
    """A value without its quotes, and what stands behind a backslash there as the letter it is."""
    if '"' not in value or value[0] in "[{(":
        return value
    if "\\" not in value:
        return value.replace('"', "")
    made: list[str] = []
    at, length = 0, len(value)
    while at < length:
        letter = value[at]
        if letter == "\\" and at + 1 < length:
            after = value[at + 1]
            code = value[at + 1 : at + 3]
            if len(code) == 2 and code[0] in _HEX[:16] and code[1] in _HEX[:16]:
                made.append(chr(int(code, 16)))
                at += 3
                continue
            made.append(_ESCAPED.get(after, after))
            at += 2
            continue
        if letter != '"':
            made.append(letter)
        at += 1
    return "".join(made)
