"""The line of a value in a JSON text, against the lines that the text is written in."""

from __future__ import annotations

import json

import pytest

from ppslab.core.documents.json_lines import line_of
from tests.support import pace

TEXT = """{
  "a": [1, 2,
    {"b": "x]}", "c":
      {"d": null}}],
  "q\\"": 5
}
"""


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ((), 1), (("a",), 2), (("a", 0), 2), (("a", 2), 3), (("a", 2, "b"), 3),
        (("a", 2, "c"), 3), (("a", 2, "c", "d"), 4), (('q"',), 5),
        (("a", 3), None), (("z",), None), (("a", "b"), None), (("a", 0, "b"), None),
    ],
)  # fmt: skip
def test_lines(keys: tuple[str | int, ...], line: int | None) -> None:
    assert line_of(TEXT, keys) == line


@pytest.mark.long
def test_the_last_of_many_is_found_at_once() -> None:
    text = json.dumps({"rows": [{"n": n, "text": "x" * 40} for n in range(100_000)]}, indent=1)
    last = ("rows", 99_999, "text")
    assert line_of(text, last) == text.count("\n") - 2
    # It takes 11; to read the text anew for each row would take a hundred thousand times as long.
    pace.assert_within(100, lambda: line_of(text, last))
