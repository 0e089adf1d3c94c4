"""The manual's files: what they hold, and that a wrong one is told with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core.errors import FileError
from ppslab.model import manual

GOOD = """page: a/b
read: 2026-10-06
facts:
  one:
    section: Somewhere
    says: RouterOS does this one thing, as written.
    confirmed: none
"""


def put(folder: Path, text: str, name: str = "one.yml") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def test_a_fact_says_where_it_comes_from(tmp_path: Path) -> None:
    put(tmp_path, GOOD + '    since: "7.21"\n')
    told = manual.load(tmp_path).fact("one")
    assert told.source == "https://manual.mikrotik.com/docs/a/b"
    assert told.cited == (
        "MikroTik's manual, a/b, Somewhere (read 2026-10-06), since RouterOS 7.21"
    )
    assert (told.file.name, told.line, told.fact.is_confirmed) == ("one.yml", 4, False)


def test_a_fact_may_have_a_page_and_a_date_of_its_own(tmp_path: Path) -> None:
    put(tmp_path, GOOD + "    url: https://example.net/x\n    read: 2026-08\n")
    told = manual.load(tmp_path).fact("one")
    assert (told.source, told.read) == ("https://example.net/x", "2026-08")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (("read: 2026-10-06", "read: last summer"), 2),
        (("page: a/b", "page: a/b\nurl: https://example.net"), None),
        (("says:", "say:"), 4),
        (("    confirmed: none\n", ""), 4),
        (("confirmed: none", "confirmed: none\n    basis: inferred"), 4),
        (("confirmed: none", "confirmed: none\n    basis: guessed"), 8),
        (("confirmed: none", "confirmed: none\n    since: seven"), 8),
        (("confirmed: none", f"confirmed: none\n    quote: {'word ' * 25}"), 8),
        (("  one:", "  One Two:"), None),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, change: tuple[str, str], line: int | None
) -> None:
    text = GOOD.replace(*change)
    assert text != GOOD
    put(tmp_path, text)
    with pytest.raises(FileError) as caught:
        manual.load(tmp_path)
    assert line is None or caught.value.line == line


def test_one_name_stands_once(tmp_path: Path) -> None:
    put(tmp_path, GOOD)
    put(tmp_path, GOOD, "two.yml")
    with pytest.raises(FileError, match=r"two\.yml:4: one stands in one\.yml:4 already"):
        manual.load(tmp_path)
