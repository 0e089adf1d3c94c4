"""Terms: each once, found as words of their own, and shown beside their other names."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core.errors import FileError
from ppslab.course.learning import glossary

TERM = "  - {term: fast path, also: [FastPath], means: A way around the stations of the stack.}\n"


def _file(folder: Path, text: str) -> Path:
    file = folder / "glossary.yml"
    file.write_text(f"terms:\n{text}")
    return file


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TERM + TERM, "'fast path' stands for fast path already"),
        (TERM + TERM.replace("fast path", "quick way"), "'FastPath' stands for fast path"),
        (TERM.replace("means", "mean"), "unknown key"),
        ("  - {term: fast path, means: short}\n", "means"),
        ("  []\n", "terms"),
    ],
)
def test_a_slip_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(FileError, match=said) as caught:
        glossary.load(_file(tmp_path, text))
    assert caught.value.line


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("The fast path is open.", ["fast path"]),
        ("Fast path first.", ["Fast path"]),
        ("FastPath and fastpath", ["FastPath"]),
        ("a bonded pair, /interface/bonding, and a bond.", ["bond"]),
        ("allow-fast-path=yes", []),
        ("half-fastpath is in by the fast path", ["half-fastpath", "fast path"]),
        ("MTU, mtu=1500 and an mtu", ["MTU"]),
        ("trials.yml has trials.", ["trials"]),
    ],
)
def test_words_are_found_whole(sentence: str, found: list[str]) -> None:
    assert glossary.pattern(glossary.load()).findall(sentence) == found
