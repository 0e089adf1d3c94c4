"""Errors, each with the exit code of `ppslab`.

0 done; 1 a check or claim failed; 2 wrong usage or bad file; 3 this machine cannot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class PpslabError(Exception):
    """A failure that the reader can act on; printed as one message, never as a traceback."""

    exit_code = 1

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows in a notebook instead of a traceback."""
        return [str(self)]


class UsageError(PpslabError):
    """The command was wrong."""

    exit_code = 2


class FileError(UsageError):
    """A file was wrong: says which, in which line, and what to do."""

    def __init__(self, path: Path | str, line: int | None, message: str) -> None:
        from pathlib import Path  # noqa: PLC0415  (MicroPython, which has none, reads no file)

        self.path = Path(path)
        self.line = line
        self.message = message
        place = shortened(f"{path}")
        place = f"{place}:{line}" if line else place
        super().__init__(f"{place}: {message}")


class CannotHereError(PpslabError):
    """The machine cannot: says why, and which command brings what is missing."""

    exit_code = 3

    def __init__(self, reason: str, remedy: str = "") -> None:
        self.reason = reason
        self.remedy = remedy
        super().__init__(f"{reason}\n{remedy}" if remedy else reason)


class BackendError(PpslabError):
    """A backend failed: a node, the command that it ran, and what the command said."""


def place_of(error: Exception) -> str:
    """An unexpected error with its place: `KeyError: 'x' (lab.py:12, load)`."""
    import traceback  # noqa: PLC0415  (only for the unlucky)
    from pathlib import Path  # noqa: PLC0415

    said = f"{type(error).__name__}: {error}"
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return said
    last = frames[-1]
    return f"{said} ({Path(last.filename).name}:{last.lineno}, {last.name})"


def shortened(text: str, most: int = 300) -> str:
    """A text of at most `most` characters: its middle is left out."""
    half = most // 2 - 2
    return text if len(text) <= most else f"{text[:half]} ... {text[-half:]}"


def did_you_mean(word: object, known: Iterable[object]) -> str:
    """` (did you mean "linux"?)` for a word near to a known one, else nothing."""
    import difflib  # noqa: PLC0415  (only for the unlucky)

    # Longer than any name: comparing takes the product of both lengths.
    if len(str(word)) > 200:
        return ""
    near = difflib.get_close_matches(str(word), [str(name) for name in known], n=1, cutoff=0.6)
    return f' (did you mean "{near[0]}"?)' if near else ""
