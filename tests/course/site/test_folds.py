"""Sections as folds: closed under their heading, opened by a link to what is in them."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup

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
"""


@pytest.fixture
def page(site: Site) -> BeautifulSoup:
    with (site.source / "conf.py").open("a") as conf:
        conf.write('myst_enable_extensions = ["attrs_block"]\n')
    text, warnings, _ = site.build(PAGE)
    assert warnings == ""
    return BeautifulSoup(text, "html.parser")


def test_a_marked_section_is_closed_under_its_heading(page: BeautifulSoup) -> None:
    folds = page.select("details:not([open])")
    titles = [fold.select_one("summary > h2").get_text().rstrip("¶#") for fold in folds]  # type: ignore[union-attr]
    assert titles == ["The wires", "The conditions"]
    assert "Two ports." in folds[0].get_text() and "One wire." in folds[0].get_text()
    assert not any("Text." in fold.get_text() for fold in folds)


def test_its_anchors_are_in_what_is_closed(page: BeautifulSoup) -> None:
    """A browser opens a fold for what is in it, not for the fold itself."""
    for anchor in ("the-wires", "deep", "the-conditions"):
        assert (
            len(page.select(f"#{anchor}"))
            == len(page.select(f"details > #{anchor}, details #{anchor}"))
            == 1
        )
