"""Sections as folds, and the one mark of RouterOS commands that no router has confirmed."""

from __future__ import annotations

from typing import Any, cast

import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils import new_document

from ppslab.core import paths
from ppslab.course.site.directives import configuration, page_router
from tests.course.site.small_site import Site

PAGE = """# Front

{.dropdown}
## The wires

Two ports.

### Deep

One wire.

## The conditions

```{ppslab-table} conditions fastpath
```

## After

Text.

```{page-router} fastpath-tcp

Press the button to boot it.
```
"""


def test_a_marked_section_is_closed_under_its_heading_with_its_anchors_inside(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser opens a fold for what is in it, not for the fold itself."""
    monkeypatch.setattr(page_router, "SOURCES", paths.project_root() / page_router.SOURCES)
    with (site.source / "conf.py").open("a") as conf:
        conf.write('myst_enable_extensions = ["attrs_block"]\n')
    text, warnings, _ = site.build(PAGE)
    assert warnings == ""
    page = BeautifulSoup(text, "html.parser")
    folds = page.select("details:not([open])")
    titles = [fold.select_one("summary > h2").get_text().rstrip("¶#") for fold in folds]  # type: ignore[union-attr]
    assert titles == ["The wires", "The conditions"]
    assert "Two ports." in folds[0].get_text() and "One wire." in folds[0].get_text()
    assert not any("Text." in fold.get_text() for fold in folds)
    for anchor in ("the-wires", "deep", "the-conditions"):
        inside = page.select(f"details > #{anchor}, details #{anchor}")
        assert len(page.select(f"#{anchor}")) == len(inside) == 1
    # Without a router in this build nothing asks for its button.
    assert page.select(".ppslab-router-missing") and "Press the button" not in text


OFFLINE = "# Not yet confirmed on a real router or CHR; checked offline against a tree.\n"
SWITCH = "# Not yet confirmed on a real switch.\n"
COMMANDS = "# Two addresses.\n/ip/address\nadd address=198.18.1.1/24 interface=p1\n"


@pytest.mark.parametrize("fold", [False, True])
@pytest.mark.parametrize(
    ("files", "marks"),
    [
        ((COMMANDS,), []),
        ((OFFLINE + COMMANDS,), [configuration.CHECKED]),
        ((COMMANDS, OFFLINE + COMMANDS, COMMANDS + OFFLINE), [configuration.CHECKED]),
        ((OFFLINE + COMMANDS, SWITCH + COMMANDS), [configuration.UNCHECKED]),
    ],
)
def test_many_lines_are_one_mark_before_the_first_and_in_no_fold(
    files: tuple[str, ...], marks: list[str], fold: bool
) -> None:
    document = new_document("page")
    first = nodes.section("", nodes.title(text="Page"))
    document += first
    for file in files:
        box = nodes.container("", nodes.literal_block(file, file))
        first += nodes.section("", nodes.title(text="Files"), box, classes=["dropdown"] * fold)
    configuration.say_once_what_is_unconfirmed(cast("Any", None), document)
    assert [each.astext() for each in first.findall(nodes.paragraph)] == marks
    blocks = list(first.findall(nodes.literal_block))
    assert [block.astext() for block in blocks] == [COMMANDS] * len(files)
    if marks:
        [mark] = first.findall(nodes.paragraph)
        box = next(b for b, file in zip(blocks, files, strict=True) if OFFLINE in file).parent
        assert mark.next_node(descend=False, siblings=True) is (box.parent if fold else box)
