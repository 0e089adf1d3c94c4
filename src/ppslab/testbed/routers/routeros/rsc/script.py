"""A RouterOS script as the statements that it comes to: menu, command, words, file and line.

routeros-lsp's parser reads it.  Loops are run here (`:for`), for REST has no script: what comes
out is only what can be taken back, which is add, set, enable and disable.  Any other command is
refused before anything is sent, `remove` too: a row that was removed never gets its id and its
place back.  Tracked connections alone are removed: nobody configured them, and traffic makes them
anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from routeros_lsp.syntax import ast
from routeros_lsp.syntax.parser import parse as parsed

from ppslab.core import documents
from ppslab.core.errors import FileError
from ppslab.testbed.routers.routeros.rsc import expressions
from ppslab.testbed.routers.routeros.rsc.statement import (
    COMMANDS,
    CONNECTIONS,
    PLACE,
    Command,
    Statement,
    Test,
)
from ppslab.testbed.routers.routeros.rsc.values import Value, text

ABILITIES = "add, set, enable and disable"


def read(path: Path, shown: str | None = None) -> list[Statement]:
    """The statements of a file; `shown`: what messages call it.  FileError with the line."""
    return statements(documents.read_text(path), shown or str(path))


def statements(source: str, file: str) -> list[Statement]:
    """The statements of a text.  FileError where it is no script, or does what cannot be undone."""
    result = parsed(source)
    for found in result.diagnostics:
        raise FileError(file, source.count("\n", 0, found.start) + 1, found.message)
    return list(_Reader(source, file).run(result.script.statements, {}, "/"))


class _Reader:
    """Runs the statements of one file."""

    def __init__(self, source: str, file: str) -> None:
        self.source = source
        self.file = file

    def run(
        self, body: Sequence[ast.Statement], variables: Mapping[str, Value], menu: str
    ) -> Iterator[Statement]:
        entered: ast.Statement | None = None
        for statement in body:
            if statement.prefix == ":":
                entered = None  # its block may have used the menu
                yield from self._script(statement, variables, menu)
                continue
            here, command, rest = self._split(statement, menu)
            if command is None:
                if rest:
                    raise self._wrong(
                        statement, f"{here}: only {ABILITIES} can be taken back, so no other is run"
                    )
                self._entered(entered)
                menu, entered = here, statement
                continue
            if statement.prefix is None:
                entered = None
            yield self._statement(statement, here, command, rest, variables)
        self._entered(entered)

    def _entered(self, statement: ast.Statement | None) -> None:
        """A menu that nothing is done in was perhaps a command, such as /system/reboot."""
        if statement is not None:
            said = self.source[statement.start : statement.end]
            raise self._wrong(statement, f"{said}: a menu in which nothing is done")

    def _script(
        self, statement: ast.Statement, variables: Mapping[str, Value], menu: str
    ) -> Iterator[Statement]:
        """`:for i from=.. to=.. do={..}`, the only word of the language that is known here."""
        words = [e.text for e in statement.elements if isinstance(e, ast.Word)]
        named = {_name(e): e.value for e in statement.elements if isinstance(e, ast.Named)}
        if len(words) != 2 or words[0] != "for" or not {"from", "to", "do"} <= named.keys():
            said = words[0] if words else ""
            raise self._wrong(statement, f":{said} is not run here, only :for with from, to and do")
        first, last, step = (
            self._number(statement, named[key], variables) if key in named else 1
            for key in ("from", "to", "step")
        )
        if named.keys() - {"from", "to", "do", "step"} or step == 0:
            raise self._wrong(statement, "a :for with from, to, step and do is wanted")
        block = named["do"]
        if not isinstance(block, ast.Brace):
            raise self._wrong(statement, "do={...} is wanted")
        for number in range(first, last + (1 if step > 0 else -1), step):
            yield from self.run(block.body, {**variables, words[1]: number}, menu)

    def _number(
        self, statement: ast.Statement, element: ast.Element | None, variables: Mapping[str, Value]
    ) -> int:
        value = self._value(statement, element, variables)
        try:
            return int(text(value))
        except ValueError:
            raise self._wrong(statement, f"{text(value)!r} is no whole number") from None

    def _split(
        self, statement: ast.Statement, menu: str
    ) -> tuple[str, Command | None, list[ast.Element]]:
        """The menu, the command and what follows it; no command: it only enters a menu."""
        parts = [] if statement.prefix == "/" else [part for part in menu.split("/") if part]
        rest = list(statement.elements)
        while rest and isinstance(rest[0], ast.Word):
            pieces = rest.pop(0).text.split("/")  # type: ignore[union-attr]
            for index, piece in enumerate(pieces):
                here = "/" + "/".join(parts)
                known = piece in COMMANDS and (piece != "remove" or here in CONNECTIONS)
                if known and index == len(pieces) - 1:
                    return here, _command(piece), rest
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
        variables: Mapping[str, Value],
    ) -> Statement:
        find: tuple[Test, ...] | None = None
        which: str | None = None
        if command != "add" and rest and isinstance(rest[0], ast.Subst):
            find = self._find(statement, rest.pop(0), variables)
        elif command != "add" and rest and _is_a_row(rest[0]):
            which = text(self._value(statement, rest.pop(0), variables))
        properties: dict[str, str] = {}
        before: tuple[Test, ...] | None = None
        for element in rest:
            if command == "add" and isinstance(element, ast.Named) and _name(element) == PLACE:
                if not isinstance(element.value, ast.Subst):
                    # A row's number is another one after every row that is added in front of it.
                    raise self._wrong(statement, f"{PLACE}=[find ...] is wanted")
                before = self._find(statement, element.value, variables)
                continue
            if isinstance(element, ast.Named):
                key, value = _name(element), text(self._value(statement, element.value, variables))
            elif isinstance(element, ast.Word):
                key, value = element.text, ""
            else:
                said = self.source[element.start : element.end]
                raise self._wrong(statement, f"{said}: no argument")
            if key in properties:
                raise self._wrong(statement, f"{key} stands here twice")
            properties[key] = value
        if command == "remove" and (properties or find is None):
            raise self._wrong(statement, "remove: [find ...] is wanted, and nothing else")
        if command in ("enable", "disable") and (properties or (find, which) == (None, None)):
            raise self._wrong(statement, f"{command}: rows are wanted, and nothing else")
        line = self._line(statement)
        told = tuple(properties.items())
        return Statement(menu, command, told, find, which, self.file, line, before)

    def _find(
        self, statement: ast.Statement, element: ast.Element, variables: Mapping[str, Value]
    ) -> tuple[Test, ...]:
        """The conditions of `[find where a=b c~"d" e !f]`, all of which must hold."""
        assert isinstance(element, ast.Subst)
        body = element.body[0].elements if len(element.body) == 1 else []
        if not body or not isinstance(body[0], ast.Word) or body[0].text != "find":
            raise self._wrong(statement, "in [ ] only a find is known here")
        left = list(body[1:])
        tests = []
        while left:
            item = left.pop(0)
            if isinstance(item, ast.Named):
                value = text(self._value(statement, item.value, variables))
                tests.append(Test(_name(item), "=", value))
                continue
            if not isinstance(item, ast.Word) or item.text in ("or", "||", "in"):
                said = self.source[item.start : item.end]
                raise self._wrong(statement, f"find: {said} is not known here; a=b, a~b and flags")
            if item.text in ("where", "and", "&&"):
                continue
            key, tilde, value = item.text.partition("~")
            if tilde:
                if not value and left:
                    value = text(self._value(statement, left.pop(0), variables))
                tests.append(Test(key, "~", value))
            else:
                flag = "no" if key.startswith("!") else "yes"
                tests.append(Test(key.removeprefix("!"), "flag", flag))
        return tuple(tests)

    def _value(
        self,
        statement: ast.Statement,
        element: ast.Expr | ast.Element | None,
        variables: Mapping[str, Value],
    ) -> Value:
        """What an expression comes to."""
        try:
            return expressions.value(element, variables, self.source)
        except (ValueError, ZeroDivisionError) as error:
            raise self._wrong(statement, str(error)) from None

    def _line(self, statement: ast.Statement) -> int:
        return self.source.count("\n", 0, statement.start) + 1

    def _wrong(self, statement: ast.Statement, message: str) -> FileError:
        return FileError(self.file, self._line(statement), message)


def _command(piece: str) -> Command:
    return next(command for command in COMMANDS if command == piece)


def _is_a_row(element: ast.Element) -> bool:
    """`0` or a name; `!comment` is a property to unset."""
    return not isinstance(element, ast.Named) and not (
        isinstance(element, ast.Word) and element.text.startswith("!")
    )


def _name(element: ast.Named) -> str:
    return element.name.text if isinstance(element.name, ast.Word) else element.name.value
