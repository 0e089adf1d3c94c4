"""The words of RouterOS's menus: the file that holds them, and how they come to a page."""

from __future__ import annotations

import pytest

from ppslab.theory.packet_path.exports import menus
from ppslab.theory.packet_path.exports.menu_words import DATA
from tests.course.models.both import files

BUNDLED = "ppslab/theory/packet_path/exports/menu_words.py"


def test_every_menu_of_the_file_can_be_reached_from_the_top() -> None:
    for menu in DATA["below"]:
        path = menu.split("/") if menu else []
        for index, word in enumerate(path):
            assert menus.kind(path[:index], word) == menus.MENU, menu


def test_every_word_is_a_word_and_stands_once() -> None:
    for words in [*DATA["below"].values(), DATA["commands"], DATA["here"]]:
        assert all(isinstance(word, str) for word in words)
        assert sorted(set(words)) == sorted(words)


@pytest.mark.parametrize(
    ("path", "word", "kind"),
    [
        ([], "interface", menus.MENU),
        (["interface"], "6to4", menus.MENU),
        (["tool"], "profile", menus.COMMAND),
        (["ip", "firewall"], "import", menus.COMMAND),
        (["ip"], "bridge", menus.UNKNOWN),
    ],
)
def test_a_word_is_a_menu_a_command_or_unknown(path: list[str], word: str, kind: str) -> None:
    assert menus.kind(path, word) == kind


def test_a_page_gets_the_words_and_reads_no_yaml() -> None:
    names: dict[str, object] = {}
    exec(files()[BUNDLED], names)
    assert names["DATA"] == DATA
    assert not any(name.startswith("ppslab/base/documents") for name in files())
