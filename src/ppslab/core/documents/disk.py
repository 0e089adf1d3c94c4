"""Files as a disk has them: ordinary, of a bounded size, inside their folder, written whole.

Every file that a command is given goes through `read_bytes`.  A device or a pipe never ends, and a
file of gigabytes fills the memory before a parser sees that it is none of its kind.
"""

from __future__ import annotations

import errno
import os
import os.path
import re
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from ppslab.core import processes
from ppslab.core.errors import FileError

TEXT: Final = 8_000_000
"""Bytes of a text: an export, a listing of hardware, a page.  The largest seen have one million."""

YAML: Final = 300_000
"""Bytes of a YAML file, eight times those of the largest lab.

Of what was tried, one list of numbers in brackets is the slowest to read: 4.9 s of CPU for 398 kB.
"""

RECORD: Final = 32_000_000
"""Bytes of a JSON file, ten times those of the largest record that is kept."""

ROUTES: Final = 16_000_000
"""Bytes of a list of routes."""

_BLOCK: Final = 1_000_000
"""Bytes that one call reads."""

DEPTH: Final = 64
"""The most lists and maps inside one another; a record has 8."""

_KINDS = {
    stat.S_IFREG: "",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def read_bytes(path: Path, most: int = TEXT) -> bytes:
    """An ordinary file's bytes; FileError where there is none, or where it has more than `most`."""
    blocks: list[bytes] = []
    left = most + 1
    try:
        with os.fdopen(_opened(path, most), "rb", buffering=0) as file:
            # Not by its size alone: it may grow, and files of /proc have none.
            while left > 0 and (block := file.read(min(left, _BLOCK))) != b"":
                if block is None:  # /proc/kmsg and its like: the next read would wait for ever
                    raise FileError(path, None, "never ends; save its content in a file")
                blocks.append(block)
                left -= len(block)
    except OSError as error:
        raise FileError(path, None, f"cannot be read: {error.strerror}") from None
    raw = b"".join(blocks)
    if len(raw) > most:
        raise _too_large(path, most)
    return raw


def depth(data: object) -> int:
    """Count the lists and dicts of plain data inside one another; 0 for a number or a text."""
    levels, here = 0, [data]
    while here := [each for each in here if isinstance(each, dict | list)]:
        levels += 1
        if levels > DEPTH:
            break  # the rest is only more
        below: list[object] = []
        for each in here:
            below += each.values() if isinstance(each, dict) else each
        here = below
    return levels


def _opened(path: Path, most: int) -> int:
    try:
        # A pipe that nobody writes to would block, and opening a device can already do something.
        _refuse_others(path, path.stat())
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except FileNotFoundError:
        raise FileError(path, None, "no such file") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise FileError(path, None, "no such file: the name is too long") from None
        raise FileError(path, None, f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise FileError(path, None, f"is not a file name: {error}") from None
    try:
        there = os.fstat(handle)
        _refuse_others(path, there)
        if there.st_size > most:
            raise _too_large(path, most)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _refuse_others(path: Path, there: os.stat_result) -> None:
    if kind := _kind(there):
        hint = "" if kind == "a folder" else "; save its content in a file"
        raise FileError(path, None, f"this is {kind}; name a file{hint}")


def _kind(there: os.stat_result) -> str:
    """Return what lies in a file's place, e.g. `a pipe`; empty for an ordinary file."""
    return _KINDS.get(stat.S_IFMT(there.st_mode), "something else")


def check_place(path: Path) -> None:
    """FileError where something lies at `path` that is no ordinary file, for writers.

    A writer renames a file of its own to `path`, which puts it in the place of whatever was there.
    """
    with suppress(OSError, ValueError):  # nothing there, or no name: the writer says so
        if kind := _kind(path.stat()):
            raise FileError(path, None, f"cannot be written: this is {kind}; name a file")


def _too_large(path: Path, most: int) -> FileError:
    shown = f"{most / 1e6:g} million" if most >= 1_000_000 else f"{most}"
    return FileError(path, None, f"more than {shown} bytes: too large to be one of these")


def outside(folder: Path, name: str | Path, also: Iterable[Path] = ()) -> bool:
    """True where `name`, seen from `folder`, leads out of `folder` and the folders in `also`.

    A lab comes from somebody else, and what its files say goes into a record that is published:
    `../../../etc/shadow`, or a link to it, would publish that.  Every link on the way is followed,
    in the names of the folders too.  A name that no file can have (a NUL byte, a loop of links)
    leads out.
    """
    try:
        place = (folder / name).resolve()
        return not any(place.is_relative_to(each.resolve()) for each in (folder, *also))
    except (OSError, RuntimeError, ValueError):
        return True


# What a killed process had begun to write: named by its writer, removed by whoever comes next.
_HALF_WRITTEN: Final = re.compile(r"^\..+\.(?P<pid>\d+)-[0-9a-f]{8}$")


def name_for(path: Path) -> Path:
    """The temporary file of this process for what is to become `path`."""
    return path.with_name(f".{path.name}.{_own_number()}-{secrets.token_hex(4)}")


def sweep(folder: Path) -> None:
    """Remove what processes that have ended left half written in a folder."""
    with suppress(OSError):
        for file in folder.glob(".*"):
            half = _HALF_WRITTEN.match(file.name)
            if half and processes.start_time(int(half["pid"])) is None:
                file.unlink(missing_ok=True)


def _own_number() -> int:
    """The number of this process in /proc, where `sweep` looks for it.

    In a PID namespace of its own, as an agent is, getpid() says 1, which outside always runs.
    """
    try:
        return int(Path("/proc/self").readlink().name)
    except OSError:  # no Linux
        return os.getpid()
