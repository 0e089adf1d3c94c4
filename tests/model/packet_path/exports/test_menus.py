"""The words of RouterOS's menus: the file that holds them, and how they come to a page."""

from __future__ import annotations

import pytest

from rosexplain import parse
from rosexplain.menu_words import DATA
from tests.course.models.both import files

BUNDLED = "rosexplain/menu_words.py"


def test_every_menu_of_the_file_can_be_reached_from_the_top() -> None:
    for menu in DATA["below"]:
        path = menu.split("/") if menu else []
        for index, word in enumerate(path):
            assert parse.kind(path[:index], word) == parse.MENU, menu


def test_every_word_is_a_word_and_stands_once() -> None:
    for words in [*DATA["below"].values(), DATA["commands"], DATA["here"]]:
        assert all(isinstance(word, str) for word in words)
        assert sorted(set(words)) == sorted(words)


@pytest.mark.parametrize(
    ("path", "word", "kind"),
    [
        ([], "interface", parse.MENU),
        (["interface"], "6to4", parse.MENU),
        (["tool"], "profile", parse.COMMAND),
        (["ip", "firewall"], "import", parse.COMMAND),
        (["ip"], "bridge", parse.UNKNOWN),
    ],
)
def test_a_word_is_a_menu_a_command_or_unknown(path: list[str], word: str, kind: str) -> None:
    assert parse.kind(path, word) == kind


def test_a_page_gets_the_words_and_reads_no_yaml() -> None:
    names: dict[str, object] = {}
    exec(files()[BUNDLED], names)
    assert names["DATA"] == DATA
    assert not any(name.startswith("ppslab/core/documents") for name in files())
