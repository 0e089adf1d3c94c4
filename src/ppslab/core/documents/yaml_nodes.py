"""YAML as plain data and the line of each part: what `documents` reads YAML with."""

from __future__ import annotations

import re
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer

from ppslab.core.documents import disk
from ppslab.core.errors import FileError

Keys = tuple[Any, ...]

MOST_NODES = 200_000
"""More values than any file of ours has; an alias that doubles itself thirty times makes more."""


class _Loader(Composer, yaml.CSafeLoader):
    """YAML's core schema (YAML 1.2.2, 10.3.2), as containerlab's Go parser reads it.

    PyYAML's own YAML 1.1 reads 12:00:06:12:01:02, a MAC address, as a number in base sixty,
    2026-01-01 as a date, and `on` as true.

    libyaml finds the words, several times as fast as PyYAML does; Python makes the nodes of them,
    as too deep a nesting is then a RecursionError, and no end of the C stack.  (ruamel.yaml keeps
    lines too.  It takes eleven times as long for the YAML files of this repository, 4.1 s instead
    of 0.37 s, reads dates in 51 of 263, and would need the same walk for limits and plain types.)
    """

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012
    # No dates, bytes and sets: a Document is plain data, however its parts are tagged.
    yaml_constructors = {  # noqa: RUF012
        tag: construct
        for tag, construct in yaml.CSafeLoader.yaml_constructors.items()
        if tag is None or tag.endswith((":null", ":bool", ":str", ":seq", ":map"))
    }

    def __init__(self, path: Path, text: str) -> None:
        yaml.CSafeLoader.__init__(self, text)
        Composer.__init__(self)
        self.path = path
        self.lines: dict[Keys, int] = {}

    def plain(self, node: yaml.Node, keys: Keys = ()) -> Any:
        """Return a node's data, and note the line of every key and item in it."""
        self.lines.setdefault(keys, node.start_mark.line + 1)
        if len(self.lines) > MOST_NODES:
            raise FileError(self.path, None, f"more than {MOST_NODES} values: too large")
        if node.tag not in self.yaml_constructors:
            raise self._error(node, f"unknown tag {node.tag}")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if len(keys) >= disk.DEPTH:  # also where an alias contains itself
            raise self._error(node, f"nested deeper than {disk.DEPTH} levels")
        if isinstance(node, yaml.SequenceNode):
            return [self.plain(item, (*keys, n)) for n, item in enumerate(node.value)]
        assert isinstance(node, yaml.MappingNode)
        self.flatten_mapping(node)  # `<<`: what is merged comes first, what is ours wins
        data: dict[Any, Any] = {}
        for key, value in node.value:
            name = self._scalar(key)
            self.lines[(*keys, name)] = key.start_mark.line + 1
            data[name] = self.plain(value, (*keys, name))
        return data

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        try:
            return self.construct_object(node)
        except (KeyError, ValueError):
            raise self._error(node, f"{node.value[:40]!r} is not of its type") from None

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """Read a map; a key given twice is an error, before `<<` puts other maps' keys into it."""
        node = super().compose_mapping_node(anchor)
        given: dict[str, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self._error(key, "a key must be a word, not a list or a map")
            if key.value in given:
                line = given[key.value]
                raise self._error(key, f'key "{key.value}" was already given in line {line}')
            given[key.value] = key.start_mark.line + 1
        return node

    def _error(self, node: yaml.Node, message: str) -> FileError:
        return FileError(self.path, node.start_mark.line + 1, message)


for _tag, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+|0o[0-7]+", list("-+0123456789")),
    (
        "float",
        r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+",
        list("-+.0123456789"),
    ),
    ("merge", r"<<", ["<"]),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), _first
    )

_Loader.add_constructor("tag:yaml.org,2002:int", lambda _, node: int(node.value, 0))
_Loader.add_constructor("tag:yaml.org,2002:float", lambda _, node: float(node.value))


def parse(path: Path, text: str) -> tuple[Any, dict[Keys, int]]:
    """The data of one YAML document, None where it is empty, and the line of each key path.

    `path` is named in the FileError of a text that is no YAML.
    """
    data, lines = _read(path, text)
    return deepcopy(data), lines


def lines(path: Path, text: str) -> dict[Keys, int]:
    """The line of each key path of a text; none where it is no YAML, or too large for it."""
    try:
        return _read(path, text)[1]
    except FileError:
        return {}


# A build of the site asks for the same labs five hundred times, which took half of it.
@lru_cache(maxsize=64)
def _read(path: Path, text: str) -> tuple[Any, dict[Keys, int]]:
    try:
        loader = _Loader(path, text)
        node = loader.get_single_node()
        return node and loader.plain(node), loader.lines
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        character = f"U+{error.character:04X}"
        raise FileError(path, line, f"the character {character} is not allowed in YAML") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise FileError(path, mark.line + 1 if mark else None, _problem(error, text)) from None
    except RecursionError:
        raise FileError(path, None, "nested too deeply") from None


def _problem(error: yaml.MarkedYAMLError, text: str) -> str:
    mark = error.problem_mark
    at = text.splitlines()[mark.line : mark.line + 1] if mark else []
    if mark and at and at[0][mark.column :].startswith("\t"):
        return "a tab; YAML is indented with spaces"
    return f"not YAML: {error.problem or error.context}"
