"""Spoiled files and arguments, given to every reader of ppslab.

An input fails that has a traceback, takes over 5 s of CPU or 500 MB, or prints a control character
raw.  The same number of the same seed gives the same bytes for ever.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import random
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.system.campaign.samples import GOOD, KEPT, ROOT, SAMPLES

# --- ways to spoil a file --------------------------------------------------------------------


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


# --- one command, held to its limits ---------------------------------------------------------


MOST_SECONDS = 5.0
MOST_BYTES = 500_000_000
LOADED_BYTES = 150_000_000
"""What `ppslab` takes with every module loaded that one of its commands loads."""
STOP_SECONDS = 60
"""When a process is ended: it has then long failed."""

NAMES = ("", "", "", "", "\x1b[2J", "[", "\udcff", " ", "'", "x" * 200)
"""What stands in front of a file's name."""


@dataclass(frozen=True)
class Outcome:
    """What one input did; seconds are of its CPU."""

    number: int
    words: tuple[str, ...]
    how: str
    size: int
    code: int
    seconds: float
    bytes: int
    shown: str = field(repr=False, default="")

    @property
    def faults(self) -> list[str]:
        """What must not be."""
        found = []
        if self.code not in (0, 1, 2, 3) or "Traceback" in self.shown:
            found.append("traceback")
        if self.seconds > MOST_SECONDS:
            found.append("slow")
        if self.bytes > MOST_BYTES:
            found.append("large")
        if any(_obeyed(letter) for letter in self.shown):
            found.append("escape")
        return found


def _obeyed(letter: str) -> bool:
    return (ord(letter) < 0x20 and letter not in "\n\t") or 0x7F <= ord(letter) < 0xA0


def prepare() -> None:
    """Import everything that a command imports late, once, for all the processes: by a good run."""
    from matplotlib import pyplot  # noqa: F401

    from ppslab.cli import main
    from ppslab.model.tunnels import capture  # noqa: F401
    from ppslab.show.report.comparing import comparing  # noqa: F401

    before = sys.argv
    for words in (("validate", KEPT), ("validate", str(ROOT / "labs/_template")),
                  ("report", KEPT, "--csv")):  # fmt: skip
        sys.argv = ["ppslab", *words]
        with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
            main()
    sys.argv = before
    gc.freeze()  # what is there now is never collected, so the processes share its memory


def run(number: int, seed: int, folder: Path) -> Outcome:
    """Spoil the file that this number draws, and run its command on it."""
    chance = random.Random(f"{seed}/{number}")
    sample = SAMPLES[number % len(SAMPLES)]
    data, how = spoiled(sample.good(), chance)
    place = folder / f"{number}"
    path = _laid(place, sample, chance.choice(NAMES), data, chance)
    good = place / "good"
    good.write_bytes(GOOD.get(sample.name, b""))
    names = {
        "FILE": path, "FOLDER": path.parent, "GOOD": good,
        "OUT.html": place / "out.html",
    }  # fmt: skip
    words = []
    for word in sample.words:
        name, colon, rest = word.partition(":")
        words.append(f"{names[name]}{colon}{rest}" if name in names else word)
    return _run(number, tuple(words), how, len(data), place)


def _laid(place: Path, sample, before: str, data: bytes, chance: random.Random) -> Path:
    if sample.state:
        path = place / "state" / sample.state
    elif "FOLDER" in sample.words:
        path = place / f"lab{before}" / sample.name
        path.parent.mkdir(parents=True)
        for name in ("lab.yml", "claims.yml", "published.csv", "tasks.yml"):
            (path.parent / name).write_bytes((ROOT / "labs/_template" / name).read_bytes())
        for each in ("routeros", "linux"):
            (path.parent / each).mkdir()
            for file in (ROOT / "labs/_template" / each).iterdir():
                (path.parent / each / file.name).write_bytes(file.read_bytes())
    else:
        path = place / (before + sample.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    other = chance.random()
    if other < 0.01:
        os.mkfifo(path) if not path.exists() else None
    elif other < 0.02 and not path.exists():
        path.symlink_to("/dev/zero")
    elif other < 0.03 and not path.exists():
        path.mkdir()
    else:
        path.write_bytes(data)
    return path


def _run(number: int, words: tuple[str, ...], how: str, size: int, place: Path) -> Outcome:
    out = place / "shown"
    inherited = _resident()
    child = os.fork()
    if child == 0:
        os._exit(_as_the_command(words, out, place))
    _, status, used = os.wait4(child, 0)
    grown = max(0, used.ru_maxrss * 1024 - inherited)
    return Outcome(
        number, words, how, size, os.waitstatus_to_exitcode(status),
        round(used.ru_utime + used.ru_stime, 2), LOADED_BYTES + grown,
        out.read_text(encoding="utf-8", errors="replace") if out.exists() else "",
    )  # fmt: skip


def _resident() -> int:
    """Bytes of this process in memory: a child has them too, whatever else was tested in it."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * resource.getpagesize()


def _as_the_command(words: tuple[str, ...], out: Path, place: Path) -> int:
    """What the process does: 99 is an exception that nobody foresaw."""
    try:
        os.environ |= {"PPSLAB_ROOT": str(ROOT), "XDG_STATE_HOME": str(place / "state"),
                       "PPSLAB_RUNTIME": str(place / "runtime"), "COLUMNS": "120"}  # fmt: skip
        handle = os.open(out, os.O_WRONLY | os.O_CREAT, 0o600)
        for each in (1, 2):
            os.dup2(handle, each)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(STOP_SECONDS)
        resource.setrlimit(resource.RLIMIT_AS, (4_000_000_000, 4_000_000_000))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        sys.argv = ["ppslab", *words]
        from ppslab.cli import main

        with contextlib.suppress(Exception):
            os.chdir(place)
        main()
    except SystemExit as ended:
        code = ended.code
        return code if isinstance(code, int) else 0 if code is None else 1
    except BaseException:
        traceback.print_exc()
        return 99
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0
