"""Ways to spoil a file, each drawn from a seed: the same number gives the same bytes for ever."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

WORDS = (
    b"\x1b[2J", b"\x1b]0;t\x07", b"\x9b31m", b"\x00", b"\r", b"\xff\xfe", b"\xef\xbb\xbf",
    "\u202e".encode(), "\x9b".encode(), b"\\ud800", b"\\u0000", b"\\u001b[2J", b"1e400", b"1e30",
    b"-1", b"NaN", b"9" * 5000, b"[" * 5000, b"{" * 5000, b"(" * 3000, b'"', b"'", b"\\", b"`id`",
    b"$(id)", b"%s%n", b"../../../../etc/passwd", b"/dev/zero", b"<!ENTITY x 'y'>", b"&x;",
    b"<script>alert(1)</script>", b"[red]", b"[/x]", b"[link=x]", b":smile:", b"x99999999999",
    b"!!python/object/apply:os.system [id]", b"&a [*a]", b"<<: *x", b"- - - -", b"\t", b"0" * 4000,
    b"/ip\n" * 2000, b"a" * 100_000, b" " * 50_000, b"\n" * 50_000, b"http://[::1", b"//0:0",
)  # fmt: skip

STRANGE: tuple[Any, ...] = (
    None, True, 0, -1, 1, 1e30, 1e308, 10**25, -(2**63), 0.5, "", "many", "12", "\x1b[2Jx", "[/x]",
    "a" * 5000, [], {}, [[]], {"": 0}, "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00",
    "<b>", "nobody",
)  # fmt: skip


def flip(data: bytearray, chance: random.Random) -> None:
    """Other bits in some bytes."""
    for _ in range(chance.choice((1, 3, 20))):
        if data:
            data[chance.randrange(len(data))] = chance.randrange(256)


def cut(data: bytearray, chance: random.Random) -> None:
    """The file ends too early."""
    del data[chance.randrange(len(data) + 1) :]


def drop(data: bytearray, chance: random.Random) -> None:
    """A part of it is gone."""
    start = chance.randrange(len(data) + 1)
    del data[start : start + chance.choice((1, 8, 80, 800))]


def insert(data: bytearray, chance: random.Random) -> None:
    """A word that means something to somebody, anywhere."""
    start = chance.randrange(len(data) + 1)
    data[start:start] = chance.choice(WORDS)


def instead(data: bytearray, chance: random.Random) -> None:
    """Such a word in the place of a word."""
    start = chance.randrange(len(data) + 1)
    end = start
    while end < len(data) and data[end] not in b" \n\t,:=\"'<>":
        end += 1
    data[start:end] = chance.choice(WORDS)


def again(data: bytearray, chance: random.Random) -> None:
    """A part of it, many times."""
    start = chance.randrange(len(data) + 1)
    part = data[start : start + chance.choice((4, 40, 400))]
    data[start:start] = part * chance.choice((2, 50, 500))


def lines(data: bytearray, chance: random.Random) -> None:
    """Its lines in another order."""
    rows = data.split(b"\n")
    chance.shuffle(rows)
    data[:] = b"\n".join(rows)


def values(data: bytearray, chance: random.Random) -> None:
    """Of JSON: some values are others; else as `instead`."""
    try:
        made = json.loads(data)
    except ValueError:
        instead(data, chance)
        return
    for _ in range(chance.choice((1, 1, 3))):
        keys: list[tuple[Any, Any]] = []
        here = made
        while isinstance(here, dict | list) and here and (not keys or chance.random() < 0.8):
            key = chance.choice([*here] if isinstance(here, dict) else range(len(here)))
            keys.append((here, key))
            here = here[key]
        if keys:
            inside, key = keys[-1]
            if chance.random() < 0.2:
                del inside[key]
            else:
                inside[key] = chance.choice(STRANGE)
    data[:] = json.dumps(made, indent=1).encode()


def huge(data: bytearray, chance: random.Random) -> None:
    """All of it, many times, up to some megabytes."""
    data[:] = data * min(chance.choice((20, 200, 2000)), 1 + 12_000_000 // (len(data) + 1))


WAYS: tuple[Callable[[bytearray, random.Random], None], ...] = (
    flip, cut, drop, insert, instead, again, lines, values, values, values, values, huge,
)  # fmt: skip


def spoiled(good: bytes, chance: random.Random) -> tuple[bytes, str]:
    """The good file with one to three things done to it, and what they were."""
    data = bytearray(good)
    done: list[str] = []
    for _ in range(chance.choice((1, 1, 2, 3))):
        way = chance.choice(WAYS)
        if way is huge and done:
            continue
        way(data, chance)
        done.append(way.__name__)
    return bytes(data), "+".join(done)
