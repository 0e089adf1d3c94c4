"""A page says once that no router has confirmed its RouterOS commands."""

from __future__ import annotations

from typing import Any, cast

import pytest
from docutils import nodes
from docutils.utils import new_document

from ppslab.course.site.directives import configuration

OFFLINE = "# Not yet confirmed on a real router or CHR; checked offline against a tree.\n"
SWITCH = "# Not yet confirmed on a real switch.\n"
COMMANDS = "# Two addresses.\n/ip/address\nadd address=198.18.1.1/24 interface=p1\n"


def page(*files: str, fold: bool = False) -> nodes.section:
    """A page's first section, with one below it for each file; `fold`: those are closed."""
    document = new_document("page")
    first = nodes.section("", nodes.title(text="Page"))
    document += first
    for file in files:
        box = nodes.container("", nodes.literal_block(file, file))
        first += nodes.section("", nodes.title(text="Files"), box, classes=["dropdown"] * fold)
    configuration.say_once_what_is_unconfirmed(cast("Any", None), document)
    return first


def marks(document: nodes.section) -> list[str]:
    return [each.astext() for each in document.findall(nodes.paragraph)]


@pytest.mark.parametrize(
    ("files", "mark"),
    [
        ((COMMANDS,), []),
        ((OFFLINE + COMMANDS,), [configuration.CHECKED]),
        ((OFFLINE + COMMANDS, COMMANDS + OFFLINE), [configuration.CHECKED]),
        ((OFFLINE + COMMANDS, SWITCH + COMMANDS), [configuration.UNCHECKED]),
    ],
)
def test_many_lines_are_one_mark(files: tuple[str, ...], mark: list[str]) -> None:
    document = page(*files)
    assert marks(document) == mark
    assert [block.astext() for block in document.findall(nodes.literal_block)] == [
        COMMANDS for _ in files
    ]


@pytest.mark.parametrize("fold", [False, True])
def test_the_mark_is_before_the_first_of_them_and_in_no_fold(fold: bool) -> None:
    first = page(COMMANDS, OFFLINE + COMMANDS, fold=fold)
    [mark] = first.findall(nodes.paragraph)
    [_, second] = first.findall(nodes.container)
    assert mark.next_node(descend=False, siblings=True) is (second.parent if fold else second)
