"""YAML as plain data and the line of each part: what `documents` reads YAML with."""

from __future__ import annotations

import re
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from yaml._yaml import CParser
from yaml.composer import Composer
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from ppslab.core.errors import FileError

Keys = tuple[Any, ...]

# More than any file of ours has; less than an alias that doubles itself thirty times makes.
MOST_NODES = 200_000


class _Loader(Composer, CParser, SafeConstructor, Resolver):
    """YAML's core schema (YAML 1.2.2, 10.3.2), as containerlab's Go parser reads it.

    PyYAML's own YAML 1.1 reads 12:00:06:12:01:02, a MAC address, as a number in base sixty,
    2026-01-01 as a date, and `on` as true.

    libyaml finds the words, several times as fast as PyYAML does; Python makes the nodes of them,
    as too deep a nesting is then a RecursionError, and no end of the C stack.  (ruamel.yaml keeps
    lines too, and takes ten times as long for all labs' claims: 0.33 s instead of 0.03 s.)
    """

    def __init__(self, text: str) -> None:
        CParser.__init__(self, text)
        Composer.__init__(self)
        SafeConstructor.__init__(self)
        Resolver.__init__(self)

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """As PyYAML; a merge of merges of merges is no file of anybody's."""
        super().flatten_mapping(node)
        if len(node.value) > MOST_NODES // 10:
            raise _TooManyError


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


def _integer(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int:
    return int(loader.construct_scalar(node), 0)


def _float(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> float:
    return float(loader.construct_scalar(node))


class _TooManyError(Exception):
    """Merges that double themselves."""


_Loader.add_constructor("tag:yaml.org,2002:int", _integer)
_Loader.add_constructor("tag:yaml.org,2002:float", _float)


def parse(path: Path, text: str) -> tuple[Any, dict[Keys, int]]:
    """The data of one YAML document, None where it is empty, and the line of each key path.

    `path` is named in the FileError of a text that is no YAML.
    """
    data, lines = _read(path, text)
    return deepcopy(data), dict(lines)


# A build of the site asks for the same labs five hundred times, which took half of it.
@lru_cache(maxsize=64)
def _read(path: Path, text: str) -> tuple[Any, dict[Keys, int]]:
    loader = None
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is None:
            return None, {}
        walker = _Walker(path, loader)
        return walker.value(node, ()), walker.lines
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise FileError(
            path, line, f"the character U+{error.character:04X} is not allowed in YAML"
        ) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise FileError(path, mark.line + 1 if mark else None, _problem(error, text)) from None
    except _TooManyError:
        raise FileError(path, None, "too large: merges (<<) that double each other") from None
    except RecursionError:
        raise FileError(path, None, "nested too deeply") from None
    finally:
        if loader is not None:
            loader.dispose()


def _problem(error: yaml.MarkedYAMLError, text: str) -> str:
    mark = error.problem_mark
    at = text.splitlines()[mark.line : mark.line + 1] if mark else []
    if mark and at and at[0][mark.column :].startswith("\t"):
        return "a tab; YAML is indented with spaces"
    return f"not YAML: {error.problem or error.context}"


class _Walker:
    """Makes plain data from composed nodes, noting the line of every key and item."""

    def __init__(self, path: Path, loader: _Loader) -> None:
        self.path = path
        self.loader = loader
        self.lines: dict[Keys, int] = {}
        self._above: set[int] = set()

    def value(self, node: yaml.Node, keys: Keys) -> Any:
        self.lines.setdefault(keys, node.start_mark.line + 1)
        if len(self.lines) > MOST_NODES:
            raise FileError(self.path, None, f"more than {MOST_NODES} values: too large")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if id(node) in self._above:
            raise FileError(self.path, node.start_mark.line + 1, "an alias contains itself")
        self._above.add(id(node))
        try:
            if isinstance(node, yaml.SequenceNode):
                return [self.value(item, (*keys, n)) for n, item in enumerate(node.value)]
            return self._mapping(node, keys)
        finally:
            self._above.discard(id(node))

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        try:
            return self.loader.construct_object(node)
        except (ValueError, TypeError):
            raise FileError(
                self.path,
                node.start_mark.line + 1,
                f"{node.value[:40]!r} is not of its type",
            ) from None

    def _mapping(self, node: yaml.Node, keys: Keys) -> dict[Any, Any]:
        if not isinstance(node, yaml.MappingNode) or node.tag != "tag:yaml.org,2002:map":
            raise FileError(self.path, node.start_mark.line + 1, f"unknown tag {node.tag}")
        seen: dict[Any, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise FileError(self.path, line, "a key must be a word, not a list or a map")
            if key.value in seen:
                given = f'key "{key.value}" was already given in line {seen[key.value]}'
                raise FileError(self.path, line, given)
            seen[key.value] = line
        self.loader.flatten_mapping(node)  # `<<`: what is merged comes first, what is ours wins
        made: dict[Any, Any] = {}
        for key, value in node.value:
            name = self._scalar(key)
            self.lines[(*keys, name)] = key.start_mark.line + 1
            made[name] = self.value(value, (*keys, name))
        return made
