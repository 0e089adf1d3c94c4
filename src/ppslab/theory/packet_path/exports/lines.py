"""Lines of an export: those that go on joined, prompts gone, and where quotes end."""

from __future__ import annotations

_OPEN = "[{("
_ASIDE = "# \t"
_ENDS = "\\ \t"
_GOES_ON = ",;"
"""What may stand behind the end of a quote: another value, or another command."""


def joined(text: str) -> list[tuple[int, int, str]]:
    """Lines with those behind a backslash joined to them: first and last number, and the text."""
    found: list[tuple[int, int, str]] = []
    start = 0
    parts: list[str] = []
    # Not stripped: MicroPython strips bytes, and would leave half of another letter.
    lines = text.replace("\r", "").replace("\ufeff", "").split("\n")
    for index, line in enumerate(lines):
        if not parts:
            if line and line[0] not in _ASIDE and line[-1] not in _ENDS:
                found.append((index + 1, index + 1, line))
                continue
            start = index + 1
            if line.lstrip(" \t").startswith("#"):
                found.append((start, start, line.strip(" \t")))
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
            found.append((start, index + 1, whole))
    return found


def after_prompt(line: str) -> str:
    """Without `[admin@MikroTik] > ` in front, as a terminal shows it."""
    if line[0] == "[" and "] >" in line:
        return line[line.find("] >") + 3 :].strip(" ")
    return line


def end_of_quote(line: str, at: int) -> int:
    """Where the quote that begins at `at` ends; -1: nowhere."""
    while True:
        at = line.find('"', at + 1)
        if at < 0:
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
        begin = token.find('="') + 1
        if token[begin] != '"':
            continue
        end = end_of_quote(token, begin)
        if 0 < end < len(token) - 1 and token[end + 1] not in _GOES_ON:
            return tokens[:index] + [token[: end + 1]], [token[end + 1 :]] + tokens[index + 1 :]
    return tokens, []
