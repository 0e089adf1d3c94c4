"""YAML, JSON and CSV files as plain data that still knows its lines; files written whole or not.

Whatever is wrong with a file becomes one FileError, `path:line: message`, never a traceback.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from ppslab.core.documents import disk
from ppslab.core.errors import FileError, UsageError, did_you_mean

if TYPE_CHECKING:
    from pydantic import BaseModel

    Model = TypeVar("Model", bound=BaseModel)

Kind = TypeVar("Kind")
Key = str | int
Keys = tuple[Any, ...]


@dataclass(frozen=True)
class Document:
    """A file's plain data (dict, list, str, int, float, bool, None), and where each part stands."""

    path: Path
    data: Any
    line_of: Callable[[Keys], int | None] = field(repr=False)
    """Return the 1-based line of a key path; None where it is not in the file."""

    def line(self, *keys: Any) -> int:
        """The 1-based line of a key path, or of the nearest part above it that is in the file."""
        paths = (keys[:end] for end in range(len(keys), -1, -1))
        return next((line for path in paths if (line := self.line_of(path))), 1)

    def error(self, keys: Iterable[Any], message: str) -> FileError:
        """The error that says `message` of the part at `keys`."""
        return FileError(self.path, self.line(*keys), message)


@dataclass(frozen=True)
class Row:
    """One row of a CSV file: values by column, and the 1-based line on which it starts."""

    path: Path
    line: int
    values: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.values[column]

    def error(self, message: str) -> FileError:
        """The error that says `message` of this row."""
        return FileError(self.path, self.line, message)


def read_text(path: Path | str, most: int = disk.TEXT) -> str:
    """A UTF-8 file's text, at most `most` bytes; FileError where there is none to read."""
    path = Path(path)
    raw = disk.read_bytes(path, most)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        byte = raw[error.start]
        raise FileError(
            path, line, f"not UTF-8 text (byte 0x{byte:02x}); save the file as UTF-8"
        ) from None


def load_yaml(path: Path | str) -> Document:
    """Read one YAML document of safe types; a key given twice is an error."""
    return parse_yaml(Path(path), read_text(path, disk.YAML))


def parse_yaml(path: Path, text: str) -> Document:
    """The YAML document that is the text of the file `path`, as `load_yaml` reads it."""
    # Here, since the Python of a reader's browser has no YAML, and reads CSV files and text.
    from ppslab.core.documents import yaml_nodes  # noqa: PLC0415

    data, lines = yaml_nodes.parse(path, text)
    if data is None:
        raise FileError(path, None, "the file is empty")
    return Document(path, data, lines.get)


def load_json(path: Path | str) -> Document:
    """Read one JSON document (RFC 8259: no NaN); a key given twice is an error."""
    return parse_json(Path(path), read_text(path, disk.RECORD))


def parse_json(path: Path, text: str) -> Document:
    """The JSON document that is the text of the file `path`, as `load_json` reads it."""
    if not text.strip():
        raise FileError(path, None, "the file is empty")

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(items)
        if len(data) != len(items):
            if len(text) < disk.YAML:
                parse_yaml(path, text)  # says which key, and where
            raise FileError(path, None, "a key appears twice in one object")
        return data

    def constant(name: str) -> NoReturn:
        place = re.search(rf"[:\[,]\s*{re.escape(name)}", text)
        raise FileError(path, _line_at(text, place.end() if place else 0), f"{name} is not JSON")

    try:
        data = json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise FileError(path, error.lineno, f"not JSON: {error.msg}") from None
    except RecursionError:
        raise FileError(path, None, "nested too deeply") from None
    except ValueError as error:
        raise FileError(path, None, f"unreadable JSON: {error}") from None
    if disk.depth(data) > disk.DEPTH:
        raise FileError(path, None, f"nested deeper than {disk.DEPTH} levels")
    # A record may be a stranger's.  `\\ud800` alone is half of a pair: it can be neither printed
    # nor written.
    if half := re.search(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}", text):
        try:
            json.dumps(data, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            line = _line_at(text, half.start())
            raise FileError(path, line, f"{half[0]} is half of a character") from None

    def line_of(keys: Keys) -> int | None:
        # JSON is YAML, nearly: what has no lines as YAML has none.
        from ppslab.core.documents import yaml_nodes  # noqa: PLC0415

        return yaml_nodes.lines(path, text).get(keys)

    return Document(path, data, line_of)


def _line_at(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def read_csv(path: Path | str, required: Iterable[str] = ()) -> list[Row]:
    """Read a CSV file (RFC 4180) with a header line; FileError where a `required` column lacks."""
    path = Path(path)
    text = read_text(path)
    lines = _csv_lines(path, text)
    _, header = next(lines, (1, []))
    columns = [name.strip() for name in header]
    if not any(columns):
        raise FileError(path, None, "the file is empty; it needs a header line")
    for name in columns:
        if not name:
            raise FileError(path, 1, "a column has no name")
        if columns.count(name) > 1:
            raise FileError(path, 1, f'column "{name}" appears twice')
    for name in required:
        if name not in columns:
            raise FileError(path, 1, f'no column "{name}"{did_you_mean(name, columns)}')
    rows = []
    for line, values in lines:
        if len(values) != len(columns):
            raise FileError(path, line, f"{len(values)} fields, but {len(columns)} columns")
        rows.append(Row(path, line, {c: v.strip() for c, v in zip(columns, values, strict=True)}))
    return rows


_CELLS: Mapping[str, Callable[[str], Any]] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": "yes".__eq__,
    "tuple[str, ...]": lambda text: tuple(text.split()),
}


def read_table(
    path: Path | str, kind: type[Kind], unique: Sequence[str] = (), **columns: str
) -> list[Kind]:
    """Read the rows of a CSV file as objects of a dataclass; FileError as `read_csv`.

    A field has the column of its name, or the one that `columns` gives it, and its type says how a
    cell is read: an empty one is None where the field takes that.  No two rows have the same
    `unique` columns.
    """
    kinds = {columns.get(f.name, f.name): (f.name, str(f.type)) for f in fields(cast("Any", kind))}
    table, keys = [], set()
    for row in read_csv(path, kinds):
        values = {}
        for column, (name, of) in kinds.items():
            sort, _, none = of.partition(" | ")
            try:
                values[name] = None if none and not row[column] else _CELLS[sort](row[column])
            except ValueError:
                raise row.error(f"{column} is a number, not {row[column]!r}") from None
        key = " ".join(row[column] for column in unique)
        if unique and key in keys:
            raise row.error(f"{key} appears twice")
        keys.add(key)
        table.append(kind(**values))
    return table


def _csv_lines(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        line = reader.line_num + 1
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FileError(path, line, f"not CSV: {error}") from None
        if values:
            yield line, values


def write_atomic(path: Path | str, content: str | bytes, *, private: bool = False) -> None:
    """Write a file whole or not at all, also when the power fails in the middle.

    A temporary file in the same folder is written and synced, then takes the name (rename(2)),
    then the folder is synced. A reader sees the old content or the new one; text is UTF-8.
    `private`: nobody but this user may read it, at no moment.  FileError where it cannot be
    written, and where `path` is a device or a pipe: root could put a file in its place.
    """
    path = Path(path)
    disk.check_place(path)
    fresh = disk.name_for(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            # Not mkstemp: its 0600 would hide results from the user who did not write them.
            how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            handle = os.open(fresh, how, 0o600 if private else 0o666)
            with os.fdopen(handle, "wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise FileError(path, None, f"cannot be written: {error.strerror}") from None


def make_folder(path: Path, option: str, *, private: bool = False) -> None:
    """Make the folder that an option names, and those above it; UsageError where it cannot be."""
    try:
        path.mkdir(mode=0o700 if private else 0o777, parents=True, exist_ok=True)
    except FileExistsError:
        raise UsageError(f"{option} {path}: this is a file; name a folder") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"{option} {path}: cannot be made: {reason}") from None


def write_json(path: Path | str, data: Any, *, private: bool = False) -> None:
    """Write data as JSON (no NaN, keys in their order), as `write_atomic` does."""
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    write_atomic(path, text, private=private)
