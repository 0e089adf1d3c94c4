"""Exports: their text as commands, and the rows of each menu, in what MicroPython has."""

from __future__ import annotations

from typing import Any

from rosexplain import selection
from rosexplain.menu_words import DATA
from rosexplain.selection import DIGITS, is_number

_OPEN = "[{("
_ASIDE = "# \t"
_ENDS = "\\ \t"
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
            if line and line[0] not in _ASIDE and line[-1] not in _ENDS:
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
        if token[begin : begin + 1] != '"':
            continue
        end = end_of_quote(token, begin)
        if end != -1 and token[end + 1 : end + 2] not in _GOES_ON:
            return tokens[:index] + [token[: end + 1]], [token[end + 1 :]] + tokens[index + 1 :]
    return tokens, []


# An export's line is only a menu's name: what RouterOS may have as such is told from what it has
# not, as `/import more.rsc`.  The words, and where they were read, are in `menu_words.py`.

MENU, COMMAND, UNKNOWN = "menu", "command", "unknown"
"""The kinds of a word behind a menu; UNKNOWN: nobody here knows it."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-"


def kind(path: list[str], word: str) -> str:
    """Return the kind of `word` in the menu `path`."""
    menu = "/".join(path)
    if word in DATA["below"].get(menu, []):
        return MENU
    if word in DATA["commands"] or (menu + "/" + word).strip("/") in DATA["here"]:
        return COMMAND
    return UNKNOWN


def might_be(path: list[str], word: str) -> bool:
    """True if a word that nobody here knows may be a menu, as another version may have one."""
    return bool(path) and word[0] != "-" and all(letter in _LETTERS for letter in word)


VERBS = (
    "add",
    "set",
    "remove",
    "enable",
    "disable",
    "unset",
    "move",
    "stop",
    "start",
    "export",
    "print",
)

_WORDS = {word: True for words in DATA["below"].values() for word in words}
for _names in [DATA["everywhere"], DATA["interfaces"]] + list(DATA["shown"].values()):
    for _word in _names:
        _WORDS[_word] = True
for _word in list(VERBS) + DATA["commands"]:
    _WORDS[_word] = True


def is_word(word: str) -> bool:
    """Return True if a word is one of a known menu or a command's."""
    return word in _WORDS


def is_path(word: str) -> bool:
    """Return True if all that is between the slashes of a word is known."""
    return all(not piece or piece == ".." or piece in _WORDS for piece in word.split("/"))


def known(begins: str) -> str:
    """The words with which a line begins, as far as they are known: the others may be secret."""
    words: list[str] = []
    for word in begins.split(" "):
        if not is_path(word):
            break
        words.append(word)
    return " ".join(words)


# Exports of RouterOS 6 and 7 are read, compact, terse and verbose.  What is no command of an
# export, as the script language, is kept as `Unread` with the reason, so that nothing vanishes in
# silence. One pass over the letters: the time grows as the text does.

CHANGES = ("add", "set", "remove", "enable", "disable", "unset", "move", "stop", "start")
"""Verbs that say what is configured."""

NAMED = ("model", "software id", "system id", "serial number")
STATED = ("version", "board-name")
"""The names in the comments at an export's head, with `=` and with a colon."""

FORWARDS = ("CAPsMAN forwarding", "local forwarding")
"""The comments above a CAP's radio, by which it is known who forwards its frames."""

MOST_LINES = 200_000
"""Lines of a text that are read; the longest lists of addresses have fewer."""
MOST_DEEP = 20
"""Words of a menu's name, and blocks in one another; RouterOS has six."""

_CLOSE = "]})"
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
        if line[0] == "#":
            _header(export, number, line)
            continue
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
        opens = _block(tokens) if line[0] == "/" or blocks else 0
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
    for name in FORWARDS:  # RouterOS writes it above a radio: channel, SSID, who forwards
        if comment.startswith("channel: ") and comment.endswith(", " + name):
            export.header.setdefault(name, (name, number))
    for name in NAMED:
        if comment.startswith(name + " ="):
            export.header[name] = (comment[len(name) + 2 :].strip(" "), number)
    for name in STATED:  # oxidized puts /system/resource/print in front of an export
        if comment.startswith(name + ": ") and name not in export.header:
            value = comment[len(name) + 2 :].strip(" ")
            export.header[name] = (value.split(" ")[0] if name == "version" else value, number)


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
    for token in rest:
        if token == ";":
            return
        name, equals, value = token.partition("=")
        if not equals or token[0] in '["{(':
            if token[0] == "!" and token[1:]:
                _put(command, token[1:], "")
            elif token[0] in '["{(' or not (command.names or token in flags):
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
        _put(command, name, plain(value) if '"' in value else value)


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


ADDED = "+"
"""The key of a row that an `add` made."""
WRITTEN = ".place"
"""`[find .place=router.rsc:12]`: the row of a line, whatever was moved or removed since."""


class Row:
    """One row: `values` hold a value, its command, and when it was set."""

    def __init__(self, menu: Menu, born: int, first: Command) -> None:
        self.menu = menu
        self.born = born
        self.first = first
        self.values: dict[str, tuple[str, Command, int]] = {}
        self.names: list[str] = []
        self.removed = False
        self.place = 0
        self.key = ""
        self.selector = ""
        """The words by which a command names it, once somebody asked (`commands.selector`)."""
        self.conditions: list[tuple[str, str]] | None = None
        """Its matchers, once somebody asked (`matchers.conditions`)."""

    def _value(self, name: str) -> tuple[str, Command, int] | None:
        own = self.values.get(name)
        every = self.menu.every.get(name)
        if every and every[2] >= (own[2] if own else self.born):
            return every
        return own

    def get(self, name: str, otherwise: str = "") -> str:
        """A value, `otherwise` where the export does not say it."""
        # Asked millions of times of a long export, in which hardly a menu has such values.
        setting = self._value(name) if self.menu.every else self.values.get(name)
        return otherwise if setting is None else setting[0]

    def says(self, name: str) -> bool:
        """Return True if the export says this property."""
        return self._value(name) is not None

    def stated(self, name: str) -> str | None:
        """A value; None where the export does not say it; of WRITTEN its command's place."""
        if name == WRITTEN:
            return self.first.place
        setting = self._value(name)
        return None if setting is None else setting[0]

    def command(self, name: str) -> Command:
        """The command that said a property last; the row's own where none did."""
        setting = self._value(name)
        return self.first if setting is None else setting[1]

    @property
    def on(self) -> bool:
        """Return True if it is there and not disabled."""
        return not self.removed and self.get("disabled") not in ("yes", "true")

    @property
    def name(self) -> str:
        """The name that other rows call it by."""
        return self.get("name") or self.get("default-name") or self.key.strip(ADDED)


class Menu:
    """The rows of a menu, and what was set for all of them at once."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.rows: list[Row] = []
        self.every: dict[str, tuple[str, Command, int]] = {}
        self._indexes: dict[str, dict[str, list[Row]]] = {}
        self._on: list[Row] | None = None
        self._mentioned: set[str] | None = None
        self.met: dict[str, list[Row]] = {}
        """The rows that meet a rule, by its id, once somebody asked (`matching`)."""

    def on(self) -> list[Row]:
        """The rows that are on, in their order; there may be thousands, so once."""
        if self._on is None:
            self._on = [row for row in self.rows if row.on]
        return self._on

    def mentioned(self) -> set[str]:
        """The words of all values of the rows, taken apart at commas."""
        if self._mentioned is None:
            self._mentioned = set()
            for row in self.rows:
                for name in row.names:
                    self._mentioned.update(row.get(name).split(","))
        return self._mentioned

    def change(self) -> None:
        """Forget what was read of the rows, which a command is about to change."""
        self._on = self._mentioned = None
        self.met = {}

    def put(self, row: Row, name: str, value: str, command: Command, now: int) -> None:
        """Set a value of a row."""
        index = self._indexes.get(name)
        if index is not None:
            old = row.get(name)
            if old != value:
                index[old] = [other for other in index.get(old, []) if other is not row]
                index.setdefault(value, []).append(row)
        if name not in row.values:
            row.names.append(name)
        row.values[name] = (value, command, now)

    def add(self, row: Row) -> None:
        """Take a new row in."""
        self.change()
        row.place = len(self.rows)
        self.rows.append(row)
        for name in self._indexes:
            self._indexes[name].setdefault(row.get(name), []).append(row)

    def with_value(self, name: str, value: str) -> list[Row]:
        """The rows in which a property has a value."""
        if name not in self._indexes:
            index: dict[str, list[Row]] = {}
            for row in self.rows:
                index.setdefault(row.get(name), []).append(row)
            self._indexes[name] = index
        return self._indexes[name].get(value, [])

    def forget(self, name: str) -> None:
        """All rows got a value at once."""
        self._indexes.pop(name, None)

    def copied(self) -> Menu:
        """The same rows, to change without changing these."""
        same = Menu(self.path)
        same.every = dict(self.every)
        for row in self.rows:
            own = Row(same, row.born, row.first)
            own.values, own.names = dict(row.values), row.names[:]
            own.removed, own.place, own.key = row.removed, row.place, row.key
            same.rows.append(own)
        return same


# `set [ find default-name=ether1 ]` finds the rows that are there, makes the port that an export
# takes for granted, and renames it; `enable`, `disable`, `remove`, `move` and `place-before` do
# what they say.  A selection that is not understood is kept in `unread`.

LONGEST = 10
"""Digits of a number that counts rows, at which nobody has to look further."""
PLACE, NUMBERS = "place-before", "numbers"
SINGLE = ""
"""The row of a menu that has no rows, as /ip/settings."""


class Rows:
    """Every menu of one or more exports."""

    def __init__(self) -> None:
        self.menus: dict[str, Menu] = {}
        self.unread: list[Unread] = []
        self._now = 0

    def of(self, path: str) -> list[Row]:
        """The rows of a menu that are on, in their order."""
        menu = self.menus.get(path)
        return menu.on() if menu else []

    def where(self, path: str, name: str, value: str) -> list[Row]:
        """The rows of a menu that are on and have this value, in their order."""
        menu = self.menus.get(path)
        rows = [row for row in menu.with_value(name, value) if row.on] if menu else []
        return sorted(rows, key=lambda row: row.place)

    def all_of(self, path: str) -> list[Row]:
        """The rows of a menu, on or off."""
        menu = self.menus.get(path)
        return [row for row in menu.rows if not row.removed] if menu else []

    def single(self, path: str) -> Row | None:
        """The one row of a menu such as /ip/settings; None where no export speaks of it."""
        return next(iter(self.all_of(path)), None)

    def behind(self, commands: list[Command]) -> Rows:
        """These rows with more commands behind them; the menus of no command are shared."""
        rows = Rows()
        rows.menus, rows.unread, rows._now = dict(self.menus), self.unread[:], self._now
        for command in commands:
            menu = self.menus.get(command.menu)
            if menu is not None and rows.menus[command.menu] is menu:
                rows.menus[command.menu] = menu.copied()
            rows.take(command)
        return rows

    def without(self, commands: list[Command], gone: list[tuple[str, int]]) -> Rows:
        """The rows of all `commands` but those on some lines; the menus of no such line are shared.

        What was not read is not told again.
        """
        left = set(gone)
        changed = {line.menu for line in commands if (line.file, line.number) in left}
        rows = Rows()
        rows.menus = {path: menu for path, menu in self.menus.items() if path not in changed}
        for line in commands:
            if line.menu in changed and (line.file, line.number) not in left:
                rows.take(line)
        return rows

    def take(self, command: Command) -> None:
        """Do what one command says."""
        self._now += 1
        if NUMBERS in command.properties:
            why = "not applied: numbers= refers to the last print; select the row with [find]"
            self.unread.append(Unread(command.file, command.number, command.menu, why))
            return
        menu = self.menus.get(command.menu)
        if menu is None:
            menu = self.menus[command.menu] = Menu(command.menu)
        menu.change()
        if command.command == "add":
            row = Row(menu, self._now, command)
            row.key = ADDED
            row.names = [name for name in command.names if name != PLACE]
            for name in row.names:
                row.values[name] = (command.properties[name], command, self._now)
            menu.add(row)
            if PLACE in command.properties:
                self._moved(menu, [row], command.properties[PLACE], command)
            return
        rows = self.selected(command)
        if command.command == "move":
            later = command.selected[1:]
            where = command.properties.get("destination", later[0] if later else "")
            self._moved(menu, rows or [], where, command)
            return
        if rows is None:
            if command.command == "set":
                for name in command.names:
                    menu.every[name] = (command.properties[name], command, self._now)
                    menu.forget(name)
                if not menu.rows:
                    self._built_in(menu, "*", command)
            rows = menu.rows[:] if command.command != "set" else []
        for row in rows:
            self._change(menu, row, command)

    def _moved(self, menu: Menu, rows: list[Row], where: str, command: Command) -> None:
        """Put rows in front of the one that `where` selects; at the end where it says nothing."""
        targets = self._chosen(menu, where, command) if where else None
        left = [other for other in menu.rows if other not in rows]
        if rows and not where:
            self._ordered(menu, left + rows)
            return
        if not rows or not targets or targets[0] in rows:
            why = "not applied: the rows to move or their destination are unknown"
            self.unread.append(NotMoved(command.file, command.number, menu.path, why))
            return
        at = left.index(targets[0])
        self._ordered(menu, left[:at] + rows + left[at:])

    def _ordered(self, menu: Menu, rows: list[Row]) -> None:
        menu.rows[:] = rows
        for place, row in enumerate(menu.rows):
            row.place = place

    def _change(self, menu: Menu, row: Row, command: Command) -> None:
        if command.command == "set":
            self._set(menu, row, command)
        elif command.command == "remove":
            row.removed = True
        elif command.command in ("enable", "disable"):
            off = "yes" if command.command == "disable" else "no"
            menu.put(row, "disabled", off, command, self._now)
        elif command.command in ("start", "stop"):
            running = "yes" if command.command == "start" else "no"
            menu.put(row, "running", running, command, self._now)

    def _set(self, menu: Menu, row: Row, command: Command) -> None:
        for name in [member for member in command.names if member != PLACE]:
            menu.put(row, name, command.properties[name], command, self._now)

    def _built_in(self, menu: Menu, key: str, command: Command) -> Row:
        """A row that the router has of itself, as a port or a menu's only one."""
        row = Row(menu, self._now, command)
        row.key = key
        menu.add(row)
        return row

    def selected(self, command: Command) -> list[Row] | None:
        """The rows that a command is about; None: all of them."""
        menu = self.menus[command.menu]
        first = command.selected[0] if command.selected else SINGLE
        return self._chosen(menu, first, command) if first else self._keyed(menu, SINGLE, command)

    def _chosen(self, menu: Menu, first: str, command: Command) -> list[Row] | None:
        """The rows that a name, a number or a selection in brackets is about; None: all of them."""
        if first[0] != "[":
            key = plain(first)
            return [row for number in key.split(",") for row in self._keyed(menu, number, command)]
        words, _ = split(first[1:-1].strip(" "))
        if len(words) == 3 and words[0] == ":pick" and not words[2].strip(DIGITS):
            if words[1].lstrip("[ ")[:5] == ":pick":
                return self._unsupported(command)
            every = self._chosen(menu, words[1], command)
            chosen = None if every is None else {id(row) for row in every}
            there = [row for row in menu.rows if chosen is None or id(row) in chosen]
            return [row for row in there if not row.removed][int(words[2][:LONGEST]) :][:1]
        inner = first[1:-1].strip(" ")
        if words and words[0] == "find":
            inner = inner[4:]
        try:
            tree = selection.read(inner, plain)
            return None if tree is None else self._fitting(menu, tree, command)
        except selection.UnknownSelectionError:
            return self._unsupported(command)

    def _unsupported(self, command: Command) -> list[Row]:
        why = "not applied: unsupported selection"
        self.unread.append(Unread(command.file, command.number, command.menu, why))
        return []

    def _fitting(self, menu: Menu, tree: Any, command: Command) -> list[Row]:
        """The rows that meet the conditions; `set` makes the one that an export does not have."""
        named = selection.equals(tree)
        rows = menu.rows
        # A row that says nothing of a flag says no.
        if named and named[0][0] not in selection.FLAGS and named[0][0] != WRITTEN:
            rows = menu.with_value(named[0][0], named[0][1])
        rows = [row for row in rows if not row.removed and selection.holds(tree, row.stated)]
        granted = [pair for pair in named if pair[1] not in ("no", "false")]
        if rows or command.command != "set" or not granted or len(granted) < len(named):
            return rows
        name, value = named[0][0], named[0][1]
        row = self._built_in(menu, value if name in ("name", "default-name") else "", command)
        for pair in named:
            menu.put(row, pair[0], pair[1], command, self._now)
        return [row]

    def _keyed(self, menu: Menu, key: str, command: Command) -> list[Row]:
        for name in ("name", "default-name", "interface", "list"):
            if key and (matching := menu.with_value(name, key)):
                return [row for row in matching if not row.removed]
        if key and not key.strip(DIGITS) and menu.rows and menu.rows[0].key == ADDED:
            rows = menu.rows[int(key[:LONGEST]) :][:1]
            if not rows:
                why = "not applied: no such item; there are " + str(len(menu.rows)) + " so far"
                self.unread.append(Unread(command.file, command.number, menu.path, why))
            return rows
        for row in menu.rows:
            if row.key == key and not row.removed:
                return [row]
        return [self._built_in(menu, key, command)] if command.command == "set" else []


def rows_of(
    exports: list[Export],
    without: list[tuple[str, int]] | None = None,
    more: list[Command] | None = None,
) -> Rows:
    """The rows of several exports, read in their order, and of `more` commands behind them.

    `without`: lines as if they were not there.
    """
    rows = Rows()
    left = set(without or [])
    for export in exports:
        rows.unread += export.unread
        for command in export.commands:
            if (command.file, command.number) not in left:
                rows.take(command)
    for command in more or []:
        rows.take(command)
    return rows
