"""A RouterOS script as the statements that it comes to: menu, command, words, file and line.

routeros-lsp's parser reads it.  Loops are run here (`:for`), for REST has no script: what comes
out is only what can be taken back, which is add, set, enable and disable.  Any other command is
refused before anything is sent, `remove` too: a row that was removed never gets its id and its
place back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from routeros_lsp.syntax import ast
from routeros_lsp.syntax.parser import parse as parsed

from ppslab.core import documents
from ppslab.core.errors import FileError
from ppslab.testbed.routers.routeros.rsc.values import HIDDEN, Value, calculate, literal, shown

Command = Literal["add", "set", "enable", "disable"]
COMMANDS: tuple[Command, ...] = get_args(Command)

Variables = Mapping[str, Value]


@dataclass(frozen=True)
class Test:
    """One condition of a `find`: `op` is =, or ~ (a regular expression)."""

    key: str
    op: Literal["=", "~"]
    value: str

    def __str__(self) -> str:
        return f"{self.key}{self.op}{self.value}"


@dataclass(frozen=True)
class Statement:
    """One change of a configuration.

    `find`: the rows that it is for; None: the menu's own settings, or a new row.  `which`: the
    row by its number or name, as in `set 0`.  A word without a value (`blackhole`) has "".
    """

    menu: str
    command: Command
    properties: tuple[tuple[str, str], ...]
    find: tuple[Test, ...] | None
    which: str | None
    file: str
    line: int

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}"

    @property
    def wanted(self) -> dict[str, str]:
        """The properties that it wants, those of enable and disable too."""
        if self.command in ("enable", "disable"):
            return {"disabled": "no" if self.command == "enable" else "yes"}
        return dict(self.properties)

    @property
    def target(self) -> str:
        """The rows as the script names them, such as `[find where name=p1]`."""
        if self.find is None:
            return self.which or ""
        return " ".join(["[find", *(["where"] if self.find else []), *map(str, self.find)]) + "]"

    def __str__(self) -> str:
        words = [
            key if not value else f"{key}={_typed(shown(key, value))}"
            for key, value in self.properties
        ]
        return " ".join(filter(None, [f"{self.menu}/{self.command}", self.target, *words]))


def _typed(value: str) -> str:
    """A value as it is typed: in quotes where it has more than a word's letters."""
    if value == HIDDEN or re.fullmatch(r"[A-Za-z0-9_.,:/!*@+~-]+", value):
        return value
    return '"' + re.sub(r'(["\\$?])', r"\\\1", value) + '"'


def read(path: Path, shown: str | None = None) -> list[Statement]:
    """The statements of a file; `shown`: what messages call it.  FileError with the line."""
    return statements(documents.read_text(path), shown or str(path))


def statements(source: str, file: str) -> list[Statement]:
    """The statements of a text.  FileError where it is no script, or does what cannot be undone."""
    result = parsed(source)
    for found in result.diagnostics:
        raise FileError(file, _line(source, found.start), found.message)
    return list(_Reader(source, file).run(result.script.statements, {}, "/"))


class _Reader:
    """Runs the statements of one file.

    Only `run` knows which statement is at work: of what the other methods raise, it makes a
    FileError with that statement's line.
    """

    def __init__(self, source: str, file: str) -> None:
        self.source = source
        self.file = file

    def run(
        self, body: Sequence[ast.Statement], variables: Variables, menu: str
    ) -> Iterator[Statement]:
        entered: ast.Statement | None = None
        for statement in body:
            try:
                if statement.prefix == ":":
                    entered = None  # its block may have used the menu
                    yield from self._loop(statement, variables, menu)
                    continue
                here, command, rest = self._split(statement, menu)
                if command is None:
                    if rest:
                        raise ValueError(
                            f"{here}: only add, set, enable and disable can be taken back, so no "
                            "other is run"
                        )
                    self._check_entered(entered)
                    menu, entered = here, statement
                    continue
                if statement.prefix is None:
                    entered = None
                yield self._statement(statement, here, command, rest, variables)
            except (ValueError, ZeroDivisionError) as error:
                raise self._error(statement, str(error)) from None
        self._check_entered(entered)

    def _check_entered(self, statement: ast.Statement | None) -> None:
        """A menu that nothing is done in was perhaps a command, such as /system/reboot."""
        if statement is not None:
            message = f"{self._text(statement)}: a menu in which nothing is done"
            raise self._error(statement, message)

    def _loop(
        self, statement: ast.Statement, variables: Variables, menu: str
    ) -> Iterator[Statement]:
        """`:for i from=.. to=.. do={..}`, the only word of the language that is known here."""
        words = [e.text for e in statement.elements if isinstance(e, ast.Word)]
        named = {_name(e): e.value for e in statement.elements if isinstance(e, ast.Named)}
        block = named.get("do")
        whole = len(words) == 2 and words[0] == "for" and named.keys() == {"from", "to", "do"}
        if not whole or not isinstance(block, ast.Brace):
            said = words[0] if words else ""
            raise ValueError(f":{said} is not run here, only :for with from, to and do={{...}}")
        first, last = (int(str(self._value(named[key], variables))) for key in ("from", "to"))
        for number in range(first, last + 1):
            yield from self.run(block.body, {**variables, words[1]: number}, menu)

    def _split(
        self, statement: ast.Statement, menu: str
    ) -> tuple[str, Command | None, list[ast.Element]]:
        """The menu, the command and what follows it; no command: it only enters a menu."""
        parts = [] if statement.prefix == "/" else [part for part in menu.split("/") if part]
        rest = list(statement.elements)
        while rest and isinstance(rest[0], ast.Word):
            pieces = rest.pop(0).text.split("/")  # type: ignore[union-attr]
            for index, piece in enumerate(pieces):
                if piece in COMMANDS and index == len(pieces) - 1:
                    return "/" + "/".join(parts), cast(Command, piece), rest
                if piece == "..":
                    parts = parts[:-1]
                elif piece:
                    parts.append(piece)
        return "/" + "/".join(parts), None, rest

    def _statement(
        self,
        statement: ast.Statement,
        menu: str,
        command: Command,
        rest: list[ast.Element],
        variables: Variables,
    ) -> Statement:
        find: tuple[Test, ...] | None = None
        which: str | None = None
        if command != "add" and rest and isinstance(rest[0], ast.Subst):
            find = self._find(rest.pop(0), variables)
        elif command != "add" and rest and _is_a_row(rest[0]):
            which = str(self._value(rest.pop(0), variables))
        properties: dict[str, str] = {}
        for element in rest:
            if isinstance(element, ast.Named):
                key, value = _name(element), str(self._value(element.value, variables))
            elif isinstance(element, ast.Word):
                key, value = element.text, ""
            else:
                raise ValueError(f"{self._text(element)}: no argument")
            if key == "place-before":
                raise ValueError(f"{key}: rows stand in the order of the file")
            if key in properties:
                raise ValueError(f"{key} stands here twice")
            properties[key] = value
        if command in ("enable", "disable") and (properties or (find, which) == (None, None)):
            raise ValueError(f"{command}: rows are wanted, and nothing else")
        line = _line(self.source, statement.start)
        return Statement(menu, command, tuple(properties.items()), find, which, self.file, line)

    def _find(self, element: ast.Element, variables: Variables) -> tuple[Test, ...]:
        """The conditions of `[find where a=b c~"d"]`, all of which must hold."""
        assert isinstance(element, ast.Subst)
        body = element.body[0].elements if len(element.body) == 1 else []
        if not body or not isinstance(body[0], ast.Word) or body[0].text != "find":
            raise ValueError("in [ ] only a find is known here")
        left = list(body[1:])
        tests = []
        while left:
            match left.pop(0):
                case ast.Named() as item:
                    tests.append(Test(_name(item), "=", str(self._value(item.value, variables))))
                case ast.Word(text="where" | "and" | "&&"):
                    pass
                case ast.Word(text=text) if "~" in text:
                    key, _, value = text.partition("~")
                    if not value and left:
                        value = str(self._value(left.pop(0), variables))
                    tests.append(Test(key, "~", value))
                case item:
                    said = self._text(item)
                    raise ValueError(f"find: {said} is not known here; a=b and a~b are")
        return tuple(tests)

    def _value(self, element: ast.Expr | ast.Element | None, variables: Variables) -> Value:
        """The value of an element; nothing at all has ""."""
        match element:
            case ast.Word() | None:
                return literal(element.text) if element else ""
            case ast.StringLit():
                return "".join(str(self._part(part, variables)) for part in element.parts)
            case ast.Variable():
                return _variable(element.name, variables)
            case ast.Group(exprs=[one]):
                return self._value(one, variables)
            case ast.Binary():
                left = self._value(element.left, variables)
                return calculate(element.op, left, self._value(element.right, variables))
            case ast.Subst(body=[ast.Statement(elements=[ast.Word(text="pick"), whole, place])]):
                # `[:pick "abc" 1]`: the character at a place that is counted from 0.
                characters = str(self._value(whole, variables))
                index = self._value(place, variables)
                if not isinstance(index, int) or not 0 <= index < len(characters):
                    raise ValueError(f"pick: {characters!r} has no character {index}")
                return characters[index]
            case _:
                raise ValueError(f"{self._text(element)} is not calculated here")

    def _part(self, part: ast.StringPart, variables: Variables) -> Value:
        match part:
            case ast.TextPart() | ast.EscapePart():
                return part.text
            case ast.VariablePart():
                return _variable(part.name, variables)
            case _:
                raise ValueError("a command in a string is not run here")

    def _text(self, node: ast.Node) -> str:
        return self.source[node.start : node.end]

    def _error(self, statement: ast.Statement, message: str) -> FileError:
        return FileError(self.file, _line(self.source, statement.start), message)


def _variable(name: str, variables: Variables) -> Value:
    if name not in variables:
        raise ValueError(f"no variable ${name}")
    return variables[name]


def _line(source: str, at: int) -> int:
    return source.count("\n", 0, at) + 1


def _is_a_row(element: ast.Element) -> bool:
    """`0` or a name; `!comment` is a property to unset."""
    return not isinstance(element, ast.Named) and not (
        isinstance(element, ast.Word) and element.text.startswith("!")
    )


def _name(element: ast.Named) -> str:
    return element.name.text if isinstance(element.name, ast.Word) else element.name.value
