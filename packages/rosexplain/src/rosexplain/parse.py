"""The text of an export as commands, in what MicroPython has.

Exports of RouterOS 6 and 7 are read, compact, terse and verbose.  What is no command of an export,
as the script language, is kept as `Unread` with the reason, so that nothing vanishes in silence.
One pass over the letters: the time grows as the text does.
"""

from __future__ import annotations

from rosexplain.menu_words import CHANGES, COMMAND, MENU, VERBS, kind, known, might_be
from rosexplain.selection import is_number

NAMED = ("model", "software id", "system id", "serial number")
STATED = ("version", "board-name")
"""The names in the comments at an export's head, with `=` and with a colon."""

UNNAMED = "unnamed"
"""The name by which a header keeps how many empty comments follow the software id."""
BEGINS = "begins"
"""The name by which a header keeps the first word of the first comment that is none of these."""

FORWARDS = ("CAPsMAN forwarding", "local forwarding")
"""The comments above a CAP's radio, by which it is known who forwards its frames."""
ON_CAP = "traffic processing on CAP"
"""How RouterOS 7.21 and later says the second of these, of a radio of /interface/wifi."""
MANAGED = (("mode: ", 2), ("channel: ", 1))
"""How the comments above a CAP's radio begin, and which part of their channel has its width.

`mode: AP, SSID: a, channel: 5680/ax/eCee`, `channel: 5200/20-Ce/ac/P(17dBm), SSID: a, ...`.
"""
FAILED, INTERRUPTED = "error exporting ", "interrupted"
"""The comments for a menu that RouterOS could not export, and where it wrote no more."""

MOST_LINES = 200_000
"""Lines of a text that are read; the longest lists of addresses have fewer."""
MOST_DEEP = 20
"""Words of a menu's name, and blocks in one another; RouterOS has six."""

_HEX = "0123456789ABCDEFabcdef"
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "_": " "}

_OPEN, _CLOSE = "[{(", "]})"
_BEGINS = _OPEN + '"'
"""What a word begins with that is no property."""
_EDGES = "#\\ \t"
"""A line that neither begins nor ends with one of these stands for itself."""
_GOES_ON = ",;"
"""The letters behind the end of a quote: another value, or another command."""


def joined(text: str) -> list[tuple[int, int, str]]:
    """Lines with those behind a backslash joined to them: first and last number, and the text."""
    lines_joined: list[tuple[int, int, str]] = []
    start = 0
    parts: list[str] = []
    # Not stripped: MicroPython strips bytes, and would leave half of another letter.
    lines = text.replace("\r", "").replace("\ufeff", "").split("\n", MOST_LINES)[:MOST_LINES]
    for index, line in enumerate(lines):
        if not parts:
            if line and line == line.strip(_EDGES):
                lines_joined.append((index + 1, index + 1, line))
                continue
            start = index + 1
            if line.lstrip(" \t").startswith("#"):
                lines_joined.append((start, start, line.strip(" \t")))
                continue
        stripped = line.rstrip(" \t")
        slashes = len(stripped) - len(stripped.rstrip("\\"))
        piece = line if not parts else line.lstrip(" \t")
        if slashes % 2 and index + 1 < len(lines):
            parts.append(piece.rstrip(" \t")[:-1])
            continue
        parts.append(piece.rstrip(" \t"))
        whole = "".join(parts).strip(" \t")
        parts = []
        if whole:
            lines_joined.append((start, index + 1, whole))
    return lines_joined


def after_prompt(line: str) -> str:
    """Without `[admin@MikroTik] > ` in front, as a terminal shows it."""
    if line[0] == "[" and "] >" in line:
        return line[line.find("] >") + 3 :].strip(" ")
    return line


def end_of_quote(line: str, at: int) -> int:
    """Return the index at which the quote that begins at `at` ends; -1: none."""
    while True:
        at = line.find('"', at + 1)
        if at == -1:
            return -1
        slashes = at - 1
        while line[slashes] == "\\":
            slashes -= 1
        if (at - 1 - slashes) % 2 == 0:
            return at


def unglued(tokens: list[str]) -> tuple[list[str], list[str]]:
    """The words up to a quote behind whose end a letter stands, and the rest, mostly none."""
    for index, token in enumerate(tokens):
        if '"' not in token or token[0] in _OPEN:
            continue
        # A value in brackets ends its own quotes: place-before=[find where comment="x"].
        begin = token.find("=") + 1
        if not token.startswith('"', begin):
            continue
        end = end_of_quote(token, begin)
        if end != -1 and token[end + 1 : end + 2] not in _GOES_ON:
            return tokens[:index] + [token[: end + 1]], [token[end + 1 :]] + tokens[index + 1 :]
    return tokens, []


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
        """The rows that the command is about, as it is written."""
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
        self.begins = known(begins)
        self.typed = begins
        self.why = why


class NotMoved(Unread):
    """A `move`, or a `place-before`, whose rows or whose destination no item is."""


class NoMenu(Unread):
    """A line that enters no menu that is known here: a command, or a menu of another version."""


class Export:
    """A file that was read.  `header`: what its first comments say, by name."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.commands: list[Command] = []
        self.unread: list[Unread] = []
        self.header: dict[str, tuple[str, int]] = {}
        self.missing: list[tuple[str, int]] = []
        """The menus that RouterOS did not export, each with the comment's line; "": all below."""
        self.channels: dict[int, tuple[str, str, str]] = {}
        """The MHz and the width of a CAP's radio, by the line below the comment that shows them."""
        self.texts: dict[int, str] = {}
        """Each line, joined to those that go on with it, by the number that it begins on."""
        self.order: list[int] = []
        self.asked: list[Command] = []
        """Commands that only ask, as print and export."""
        self.menus = 0
        """Lines that only enter a menu; a terse export has none."""
        self.left = 0
        """Lines behind the first MOST_LINES, which were not read."""
        self.replaced: dict[str, bool] | None = None
        """The names that stand for those of the router; None: its own are there."""


def parsed(text: str, file: str) -> Export:
    """The commands of a text, in their order."""
    export = Export(file)
    menu: list[str] = []
    blocks: list[list[str]] = []
    for number, last, line in joined(text):
        export.texts[number] = line
        export.order.append(number)
        if line.startswith("#"):
            _header(export, number, line)
            continue
        if line.startswith("["):
            line = after_prompt(line)  # noqa: PLW2901
            if not line:
                continue
        if blocks and line == "}":
            menu = blocks.pop()
            continue
        if line[0] in ":{}$;":
            begins = line.split(" ")[0][:20]
            export.unread.append(Unread(file, number, begins, "a script: scripts are not run"))
            continue
        tokens, whole = split(line)
        opens = _block(tokens) if blocks or line.startswith("/") else 0
        if opens:
            inside = _path(menu, tokens[:opens])[0]
            _too_deep(export, number, inside)
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
            why = "unclosed quote or bracket: read up to there"
            export.unread.append(Unread(file, number, tokens[0][:20], why))
        tokens, behind = unglued(tokens) if '"' in line else (tokens, [])
        menu = _command(export, menu, tokens, number, last)
        if behind:
            why = "not read: text directly after a closing quote"
            export.unread.append(Unread(file, number, " ".join(behind)[:20], why))
            if behind[0][0] == "/":  # another line was pasted there
                menu = _command(export, menu, behind, number, last)
        menu = blocks.pop() if closes else menu
    return _with_left(export, text)


def _with_left(export: Export, text: str) -> Export:
    """Count the lines that were not read, of a text that is too long."""
    lines = text.count("\n") + (0 if text[-1:] == "\n" else 1)
    export.left = max(0, lines - MOST_LINES)
    if export.left:
        why = "not read: this line and all behind it, " + str(export.left) + " in all"
        export.unread.append(Unread(export.file, MOST_LINES + 1, "", why))
    return export


def _block(tokens: list[str]) -> int:
    """Return the index of a block, as in `/ip firewall { filter add ... }`; 0: there is none."""
    for index in range(len(tokens)):
        word = tokens[index]
        if word[0] == "{":
            return index
        if "=" in word or word in VERBS or word[0] in '["(':
            return 0
    return 0


def _in_block(
    export: Export, menu: list[str], text: str, number: int, last: int, depth: int = 1
) -> None:
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
            inside = _path(menu, own[:opens])[0]
            if depth > MOST_DEEP:
                why = "not read: more than " + str(MOST_DEEP) + " blocks in one another"
                export.unread.append(Unread(export.file, number, "{", why))
            elif not _too_deep(export, number, inside):
                _in_block(export, inside, inner, number, last, depth + 1)
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
        if word[:2] in ("6.", "7.") and is_number(word[2:3]):
            export.header["version"] = (word, number)
        return
    if not export.commands and not comment:  # those of a person stand elsewhere
        above = ("0", export.header.get("software id", ("", 0))[1])
        empty, last = export.header.get(UNNAMED, above)
        if last and last == number - 1:
            export.header[UNNAMED] = (str(int(empty) + 1), number)
    if not export.commands:  # people begin a configuration of their own with the device's code
        export.header.setdefault(BEGINS, (comment.split(" ")[0], number))
    for name in FORWARDS:  # RouterOS writes it above a radio: channel, SSID, who forwards
        if comment.startswith("channel: ") and comment.endswith(", " + name):
            export.header.setdefault(name, (name, number))
    if comment.startswith("managed by CAPsMAN") and comment.endswith(ON_CAP):
        export.header.setdefault(FORWARDS[1], (FORWARDS[1], number))
    for begin, place in MANAGED:
        if comment.startswith(begin):
            _channel(export, number + 1, comment.rpartition("channel: ")[2], place)
    if comment.startswith(FAILED):
        words = comment[len(FAILED) :].partition(" (")[0].strip('"').split(" ")
        export.missing.append(("/".join(words), number))
    if comment == INTERRUPTED:
        export.missing.append(("", number))
    for name in NAMED:
        if comment.startswith(name + " ="):
            export.header[name] = (comment[len(name) + 2 :].strip(" "), number)
    for name in STATED:  # oxidized puts /system/resource/print in front of an export
        if comment.startswith(name + ": ") and name not in export.header:
            value = comment[len(name) + 2 :].strip(" ")
            export.header[name] = (value.split(" ")[0] if name == "version" else value, number)


def _channel(export: Export, number: int, text: str, place: int) -> None:
    """Keep the channel of a comment, whose letters are 20 MHz each: `5680/ax/eCee` is 80 MHz.

    With its power, where the comment has it: `2412/20/gn(17dBm)`.
    """
    parts = text.partition(",")[0].split("/")
    power = text.partition(",")[0].rpartition("(")[2].partition("dBm)")
    letters = parts[place].rpartition("-")[2].partition("(")[0] if len(parts) > place else ""
    letters = "".join([one for one in letters if one in "Ce"])
    if len(parts) > 1 and is_number(parts[0]):
        width = str(20 * max(1, len(letters)))
        export.channels[number] = (parts[0], width, power[0] if power[1] else "")


def split(line: str) -> tuple[list[str], bool]:
    """The words of a line, quotes and brackets whole; and whether each of those ends."""
    bare = "[" not in line and "{" not in line and "(" not in line
    if bare and '"' not in line:
        return line.split(), True
    if bare:
        return _split_at_quotes(line)
    words: list[str] = []
    length = len(line)
    at, depth, begin = 0, 0, -1
    while at < length:
        letter = line[at]
        if letter == '"':
            begin = at if begin < 0 else begin
            at = end_of_quote(line, at)
            if at == -1:
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


def _split_at_quotes(line: str) -> tuple[list[str], bool]:
    """The same of a line without brackets: few steps for each quote, none for each letter."""
    words: list[str] = []
    begun, at = "", 0
    while True:
        quote = line.find('"', at)
        outside = line[at:] if quote == -1 else line[at:quote]
        pieces = outside.replace("\t", " ").split(" ")
        pieces[0] = begun + pieces[0]
        begun = pieces.pop() if quote != -1 else ""
        words += [piece for piece in pieces if piece]
        if quote == -1:
            return words, True
        end = end_of_quote(line, quote)
        if end == -1:
            return words + [begun + line[quote:]], False
        begun += line[quote : end + 1]
        at = end + 1


def _command(
    export: Export, menu: list[str], tokens: list[str], number: int, last: int
) -> list[str]:
    """Take one line; the menu that the next one stands in."""
    path, rest = menu, tokens[1:]
    verb: str | None = tokens[0]
    if verb not in VERBS:
        path, verb, rest = _path(menu, tokens)
        if _too_deep(export, number, path):
            return menu
    if verb is None:
        if rest:
            begins = " ".join(["/" + "/".join(path)] + [word.split("=")[0] for word in rest[:1]])
            why = "unknown verb; use one of " + ", ".join(CHANGES)
            export.unread.append(Unread(export.file, number, begins[:60], why))
            return menu
        return _entered(export, menu, path, number, tokens[0][0] == "/")
    command = Command(export.file, number, last, "/" + "/".join(path), verb)
    _words(command, rest)
    if verb not in CHANGES:
        export.asked.append(command)
        return menu
    if ";" in rest or (rest and rest[-1].endswith(";")):
        why = "several commands on one line: only the first is read"
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
        word_kind = kind(path[:index], path[index])
        if word_kind == MENU:
            continue
        begins = ("/" + "/".join(path))[:60]
        if word_kind == COMMAND or not whole or not might_be(path[:index], path[index]):
            why = "unsupported command: the menu stays the same"
            export.unread.append(NoMenu(export.file, number, begins, why))
            return menu
        if any(kind([], word) == COMMAND for word in path[index + 1 :]):
            continue
        why = "unknown menu: the lines after it are read as part of it"
        export.unread.append(NoMenu(export.file, number, begins, why))
        break
    export.menus += 1
    return path


def _path(menu: list[str], tokens: list[str]) -> tuple[list[str], str | None, list[str]]:
    """The menu that words name, the verb behind it, and the rest.

    Of a menu that is too deep, its first MOST_DEEP words and one more: a line may have millions.
    """
    path = [] if tokens[0][0] == "/" else menu[:]
    for index, token in enumerate(tokens):
        if "=" in token or token[0] in '["{(!*':
            return path, None, tokens[index:]
        pieces = [piece for piece in token.split("/", MOST_DEEP + 1) if piece]
        for place, piece in enumerate(pieces):
            if len(path) > MOST_DEEP:
                return path[: MOST_DEEP + 1], None, []
            if piece in VERBS and place == len(pieces) - 1:
                return path, piece, tokens[index + 1 :]
            if piece != "..":
                path.append(piece)
            elif path:
                path.pop()
    return path, None, []


def _too_deep(export: Export, number: int, path: list[str]) -> bool:
    """True if a menu, or a block in others, is deeper than any of RouterOS; then it is unread."""
    if len(path) > MOST_DEEP:
        begins = ("/" + "/".join(path[:MOST_DEEP]))[:60]
        why = "not read: RouterOS has no menu of more than " + str(MOST_DEEP) + " words"
        export.unread.append(NoMenu(export.file, number, begins, why))
    return len(path) > MOST_DEEP


FLAGS = ("fib", "disabled")
"""Properties that an add may name without a value, in front of all others too."""


def _words(command: Command, rest: list[str]) -> None:
    prefix = ""
    flags = FLAGS if command.command == "add" else ()
    properties, names = command.properties, command.names
    for token in rest:
        if token == ";":
            return
        name, equals, value = token.partition("=")
        # MicroPython looks for each new text among all its names; lstrip mostly makes none.
        if not equals or token.lstrip(_BEGINS) != token:
            if token[0] == "!" and token[1:]:
                _put(command, token[1:], "")
            elif token[0] in _BEGINS or not (command.names or token in flags):
                command.selected.append(token)
            else:
                # `add ... disabled`, a flag in its short form; anything else is kept as it stands.
                _put(command, token, "yes")
            continue
        if "." not in name:
            prefix = ""
        elif name[0] == ".":
            name = prefix + name
        else:
            prefix = name.rpartition(".")[0]
        # Not by _put: a call for each of a long export's values takes MicroPython its time.
        if name not in properties:
            names.append(name)
        properties[name] = plain(value) if '"' in value else value


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
    pieces: list[str] = []
    at = 0
    while True:
        slash = value.find("\\", at)
        code = value[slash + 1 : slash + 3] if slash != -1 else ""
        if not code:
            return "".join(pieces) + value[at:].replace('"', "")
        pieces.append(value[at:slash].replace('"', ""))
        if len(code) == 2 and code[0] in _HEX[:16] and code[1] in _HEX[:16]:
            pieces.append(chr(int(code, 16)))
            at = slash + 3
        else:
            pieces.append(_ESCAPED.get(code[0], code[0]))
            at = slash + 2
