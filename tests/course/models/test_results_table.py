"""A pasted table of test results: the same figures in each layout, and a wrong one refused."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import pytest

from ppslab.course.models import results_table
from ppslab.model import results_table as results
from ppslab.model.results_table import TableError, pasted
from tests.course.models.both import ask, both, known

# Made-up rates in the layouts of MikroTik's product pages.
ETHERNET = [
    ("Bridging", "none (fast path)", "700.5", "8,506.9", "1,500.0", "6,144.0", "2,000.0", "1,024"),
    ("Routing", "25 simple queues", "650", "7893.6", "800", "3276.8", "810.2", "414.8"),
    ("Routing", "25 ip filter rules", "400", "4857.6", "410", "1679.4", "412", "210.9"),
]  # fmt: skip
IPSEC = [("Single tunnel", "AES-128-CBC + SHA1", "90", "1008", "95", "389.1", "96", "49.2"),
         ("256 tunnels", "AES-256-GCM", "-", "-", "110", "450.6", "111", "56.8")]  # fmt: skip
TITLE = ("RB1100Dx4", "AL21400 1G all port test")
CODES = {"codes": {"RB1100Dx4": "RB1100AHx4 Dude Edition", "RB750Gr3": "hEX"}}
NOTE = "All tests are done with specialized test equipment, and done according to RFC2544."


def head(sizes: tuple[str, ...], gap: str = "") -> list[tuple[str, ...]]:
    spread = [cell for size in sizes for cell in ((size, gap) if gap else (size,))]
    return [("Mode", "Configuration", *spread), (*("kpps", "Mbps") * len(sizes),)]


def tabs() -> str:
    """As Chrome copies both tables, with their headings and the note below."""
    ethernet = [TITLE, *head(("1518 byte", "512 byte", "64 byte")), *ETHERNET]
    ipsec = [("RB1100Dx4", "IPsec throughput"), *head(("1400 byte", "512 byte", "64 byte")), *IPSEC]
    blocks = ["\n".join("\t".join(row) for row in rows) for rows in (ethernet, ipsec)]
    return "\n".join(["Ethernet test results", blocks[0], NOTE, "IPsec test results", blocks[1]])


def empty_cells() -> str:
    """Each size above the first of its two columns, and empty cells below Mode."""
    sizes = ("1518 byte", "", "512 byte", "", "64 byte", "")
    rows = [TITLE, ("Mode", "Configuration", *sizes), ("", "", *("kpps", "Mbps") * 3), *ETHERNET]
    return "\r\n".join("\t".join(row) for row in rows)


def spaces() -> str:
    """A row a line, and only spaces between the cells."""
    return "\n".join(" ".join(row) for row in [TITLE, *head(("1518 byte", "512 byte", "64 byte")),
                                               *ETHERNET, (NOTE,)])  # fmt: skip


def lines() -> str:
    """A cell a line, as a phone copies them."""
    rows = [TITLE, *head(("1518 byte", "512 byte", "64 byte")), *ETHERNET, (NOTE,)]
    return "\n".join(cell for row in rows for cell in row)


def turned() -> str:
    """The configuration before the mode, the smallest size first, Mbps before kpps."""
    rows = [(row[1], row[0], *reversed(row[2:])) for row in ETHERNET]
    top = [("Configuration", "Mode", "64 byte", "512 byte", "1518 byte"), (*("Mbps", "kpps") * 3,)]
    return "\n".join("  ".join(row) for row in [*top, *rows])


def figures(rows: list[tuple[str, ...]], sizes: tuple[int, ...]) -> set[tuple[Any, ...]]:
    """Each pair of a table, as it is to be read."""
    plain = [[float(cell.replace(",", "")) if cell != "-" else None for cell in row[2:]]
             for row in rows]  # fmt: skip
    return {
        (*row[:2], size, values[2 * n], values[2 * n + 1])
        for row, values in zip(rows, plain, strict=True)
        for n, size in enumerate(sizes)
        if values[2 * n] is not None
    }


WHOLE = figures(ETHERNET, (1518, 512, 64))


@pytest.mark.parametrize("layout", [tabs, empty_cells, spaces, lines, turned])
def test_each_layout_has_the_same_figures(layout: Any) -> None:
    rows = [row for row in pasted(layout()) if "tunnel" not in row.mode]
    read = {(row.mode, row.configuration, row.frame_bytes, row.kpps, row.mbps) for row in rows}
    assert read == WHOLE
    assert {row.code for row in rows} <= {"RB1100Dx4", ""}


def test_layer_1_counts_preamble_and_gap() -> None:
    rows = [
        *head(("64 byte",)),
        ("Switching", "Non blocking Layer 1 capacity", "130952.4", "88000"),
    ]
    (row,) = pasted("\n".join("\t".join(row) for row in rows))
    assert row.mbps == 88000


def test_the_table_of_tunnels_is_read_beside_the_first() -> None:
    rows = [row for row in pasted(tabs()) if "tunnel" in row.mode]
    read = {(row.mode, row.configuration, row.frame_bytes, row.kpps, row.mbps) for row in rows}
    assert read == figures(IPSEC, (1400, 512, 64))


@pytest.mark.parametrize(("old", "new"), [("\t-\t-\t", "\t\t\t"), ("450.6", "450 .6")])
def test_a_cell_may_be_empty_or_have_a_space_in_its_number(old: str, new: str) -> None:
    assert old in tabs()
    assert [row[:-1] for row in map(astuple, pasted(tabs().replace(old, new)))] == [
        row[:-1] for row in map(astuple, pasted(tabs()))
    ]


@pytest.mark.parametrize(
    ("layout", "words", "read"),
    [(spaces, results.MOST_WORDS - 1, True), (spaces, results.MOST_WORDS, False),
     (spaces, results.MOST_WORDS + 1, False), (turned, 1, True), (turned, 0, False)],
)  # fmt: skip
def test_a_configuration_has_so_many_words(layout: Any, words: int, read: bool) -> None:
    rows = pasted(layout().replace("25 simple queues", "rules " * words))
    assert len(rows) == (9 if read else 6)


@pytest.mark.parametrize("layout", [tabs, empty_cells, spaces, lines, turned])
def test_a_text_that_was_cut_has_the_figures_before_the_cut(layout: Any) -> None:
    text = layout() + "\n"
    cuts = [at for at, sign in enumerate(text) if sign in "\n\t "]
    counts = []
    for cut in cuts:
        try:
            rows = [row for row in pasted(text[:cut]) if "tunnel" not in row.mode]
        except TableError:
            counts.append(0)
            continue
        counts.append(len(rows))
        assert {(row.mode, row.configuration, row.frame_bytes, row.kpps, row.mbps)
                for row in rows} <= WHOLE  # fmt: skip
    assert counts[0] == 0 and counts[-1] == 9


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (tabs().replace("1679.4", "1697.4"), 7, "Routing, 25 ip filter rules, 512 bytes: 410 kpps"),
        (spaces().replace(" 400 4857.6", " 400 485.76"), 6, "differ by more than 1 %"),
        (lines().replace("\n810.2\n", "\nabout\n"), None, "'about' is no number"),
        (tabs().replace("414.8", "x"), 6, "'x' is no number"),
        (spaces().replace(" 650 ", " 6 50 "), 5, "more figures than the 6 columns"),
        (spaces().replace("kpps Mbps kpps", "Mbps Mbps kpps"), 2, "two columns of mbps"),
        (spaces().replace("512 byte", "1518 byte"), 2, "two columns of kpps at 1518 bytes"),
        ("Ethernet test results\nRB1100Dx4", None, "select the table"),
        ("", None, "select the table"),
    ],
)  # fmt: skip
def test_a_wrong_table_is_refused_with_the_row_and_the_reason(
    text: str, line: int | None, reason: str
) -> None:
    with pytest.raises(TableError) as refused:
        pasted(text)
    assert reason in refused.value.message
    assert line in (None, refused.value.line)


@pytest.mark.long
def test_the_page_reads_and_refuses_the_same() -> None:
    texts = [tabs(), empty_cells(), spaces(), lines(), turned(), "toaster",
             tabs().replace("1679.4", "1697.4"), spaces().replace(" 650 ", " 6 50 ")]  # fmt: skip
    answers = both("results-table", [{"text": text} for text in texts])
    assert ["kept" in answer for answer in answers] == [True] * 5 + [False] * 3


def test_the_results_of_another_device_are_not_kept() -> None:
    inputs = {"text": tabs(), "code": "RB750Gr3", "day": "2026-11-29"}
    refused = results_table.answer(inputs, CODES)
    assert refused["problem"]["input"] == "code" and "Dude" in refused["problem"]["says"]
    assert results_table.answer({**inputs, "code": ""}, CODES)["code"] == "RB1100Dx4"
    nameless = {**inputs, "text": turned(), "code": ""}
    assert results_table.answer(nameless, CODES)["problem"]["input"] == "code"


def test_the_figure_and_the_explainer_get_what_was_pasted() -> None:
    inputs = {"text": tabs(), "code": "", "day": "2026-11-29"}
    kept = results_table.answer(inputs, CODES)["kept"]
    cell = kept["table"]["rates"]["rules"]["512"]
    assert (cell["kpps"], cell["bits"], cell["share"]) == (410.0, "1.68 Gbit/s", "")
    export = {
        "name": "x.rsc",
        "text": "# model = RB1100Dx4\n/ip address add address=192.0.2.1/24"
        " interface=ether1\n/ip address add address=198.18.0.1/24 interface=ether2\n",
    }
    ours = ask("explain", export=export)
    own = ask("explain", export=export, pasted={"RB1100Dx4": kept["published"]})
    assert "2,301" in str(ours["more"]) and "1,679" not in str(ours["more"])
    assert "1,679 Mbit/s" in str(own["more"]) and "2026-11-29" in str(own["more"])
    assert "2,301" not in str(own["more"]), "two measurements are in no sentence"
    assert known("explain")["published"]["RB1100Dx4"][0]["mbps"] != 1679.4
