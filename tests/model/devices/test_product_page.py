"""A saved product page becomes figures, or is refused with the line and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core.errors import FileError
from ppslab.model.devices import product_page
from tests.model.devices.pages import ETHERNET, OTHER_WAY, RB1100, SPREAD, page, turned, with_comma

FIGURES = {
    ("Bridging", 1518): (606.5, 7365.3),
    ("Bridging", 512): (1736.4, 7112.3),
    ("Bridging", 64): (5509.7, 2821.0),
    ("Routing", 1518): (606.5, 7365.3),
    ("Routing", 512): (933.6, 3824.0),
    ("Routing", 64): (960.3, 491.7),
}

COMMAS = [(mode, name, *map(with_comma, figures)) for mode, name, *figures in RB1100]
BARE = [
    (mode, name, *(each.replace(",", "").replace(".", ",") for each in figures))
    for mode, name, *figures in RB1100
]
CODED = [("".join(f"&#{ord(c)};" for c in mode), *rest) for mode, *rest in RB1100]


@pytest.mark.parametrize(
    "text",
    [
        page(RB1100),
        page(RB1100, SPREAD),
        page([turned(row) for row in RB1100], OTHER_WAY),
        page(COMMAS),
        page(BARE),
        page(CODED),
    ],
    ids=["points", "spread", "other order", "commas", "decimal commas only", "entities"],
)
def test_the_same_figures_whatever_the_form(text: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(text, encoding="utf-8")
    found = product_page.read(path)
    assert {(row.mode, row.frame_bytes): (row.kpps, row.mbps) for row in found.rows} == FIGURES
    assert {row.code for row in found.rows} == {"RB1100Dx4"}
    assert found.address == "https://mikrotik.com/product/rb1100dx4"
    assert found.specifications["Product code"] == "RB1100Dx4"


def test_a_number_with_one_sign_is_read_as_it_fits(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(page([("Routing", "none (fast path)", "1.736", "21081.9", *"-" * 4)]))
    (row,) = product_page.read(path).rows
    assert (row.kpps, row.mbps) == (1736.0, 21081.9)


def test_layer_1_counts_preamble_and_gap(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    figures = ("-", "-", "-", "-", "130952.4", "88000")
    path.write_text(page([("Switching", "Non blocking Layer 1 capacity", *figures)]))
    (row,) = product_page.read(path).rows
    assert row.mbps == 88000


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            page(
                [("Routing", "25 ip filter rules", "606.5", "7,365.3", "933.6", "3,424.0", *"--")]
            ),
            10,
        ),
        (page([("Routing", "25 ip filter rules", "1,736", "21,082", *"----")]), 10),
        (page([("Routing", "x", "606.5", "-", *"----")]), 10),
        (page([("Routing", "x", "606.5", "about 7", *"----")]), 10),
        (page(RB1100, ETHERNET.replace("kpps", "packets")), 7),
        ("<html><body>MHTML</body></html>", None),
        (page(RB1100, ETHERNET.replace("Mode", "Art")), None),
    ],
)
def test_a_page_that_cannot_be_trusted(text: str, line: int | None, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(text)
    with pytest.raises(FileError) as refused:
        product_page.read(path)
    assert refused.value.line == line


@pytest.mark.parametrize("cells", range(1, len(RB1100[0]) + 1))
def test_a_row_may_end_early(cells: int, tmp_path: Path) -> None:
    """Mode and configuration, then two figures a size; a figure alone is left to the reader."""
    path = tmp_path / "page.html"
    path.write_text(page([RB1100[1], RB1100[0][:cells]]), encoding="utf-8")
    if cells > 2 and cells % 2:
        with pytest.raises(FileError):
            product_page.read(path)
    else:
        found = [row for row in product_page.read(path).rows if row.mode == "Bridging"]
        assert len(found) == max(0, cells - 2) // 2
