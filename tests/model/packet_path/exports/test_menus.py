"""The words of RouterOS's menus: the file that holds them, and how they come to a page."""

from __future__ import annotations

from rosexplain.menu_words import DATA
from tests.course.models.both import files

BUNDLED = "rosexplain/menu_words.py"


def test_a_page_gets_the_words_and_reads_no_yaml() -> None:
    names: dict[str, object] = {}
    exec(files()[BUNDLED], names)
    assert names["DATA"] == DATA
    assert not any(name.startswith("ppslab/core/documents") for name in files())
