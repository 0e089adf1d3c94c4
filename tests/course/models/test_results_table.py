"""A pasted table of test results: the same figures in each layout, and a wrong one refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ppslab.course.models import results_table
from ppslab.model import results_table as results
from ppslab.model.results_table import Row, TableError, pasted
from tests.course.models.both import ask, both, known

GIVEN = yaml.safe_load(Path(__file__).with_name("pasted.yml").read_text(encoding="utf-8"))
LAYOUTS: dict[str, str] = GIVEN["layouts"]
TABS, SPACES, TURNED = (LAYOUTS[name] for name in ("tabs", "spaces", "turned"))
CODES = {"codes": {"RB1100Dx4": "RB1100AHx4 Dude Edition", "RB750Gr3": "hEX"}}


def figures(rows: list[Row], tunnels: bool) -> list[list[Any]]:
    """The figures of one of the tables, in the order of pasted.yml."""
    read = [[row.mode, row.configuration, row.frame_bytes, row.kpps, row.mbps] for row in rows
            if ("tunnel" in row.mode) is tunnels]  # fmt: skip
    return sorted(read)


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_each_layout_has_the_same_figures_up_to_where_it_was_cut(text: str) -> None:
    rows = pasted(text)
    assert figures(rows, tunnels=False) == GIVEN["ethernet"]
    assert {row.code for row in rows} <= {"RB1100Dx4", ""}
    counts, text = [], text + "\n"
    for cut in [at for at, sign in enumerate(text) if sign in "\n\t "]:
        try:
            read = figures(pasted(text[:cut]), tunnels=False)
        except TableError:
            read = []
        counts.append(len(read))
        assert all(row in GIVEN["ethernet"] for row in read)
    assert counts[0] == 0 and counts[-1] == 9


def test_tunnels_are_read_beside_the_first_table_and_layer_1_counts_preamble_and_gap() -> None:
    # A cell may be empty, or have a space in its number.
    for old, new in (("", ""), ("\t-\t-\t", "\t\t\t"), ("450.6", "450 .6")):
        assert old in TABS
        assert figures(pasted(TABS.replace(old, new)), tunnels=True) == GIVEN["tunnels"]
    head = "Mode\tConfiguration\t64 byte\nkpps\tMbps\n"
    (row,) = pasted(f"{head}Switching\tNon blocking Layer 1 capacity\t130952.4\t88000")
    assert row.mbps == 88000


@pytest.mark.parametrize(
    ("text", "words", "read"),
    [(SPACES, results.MOST_WORDS - 1, True), (SPACES, results.MOST_WORDS, False),
     (SPACES, results.MOST_WORDS + 1, False), (TURNED, 1, True), (TURNED, 0, False)],
)  # fmt: skip
def test_a_configuration_has_so_many_words(text: str, words: int, read: bool) -> None:
    rows = pasted(text.replace("25 simple queues", "rules " * words))
    assert len(rows) == (9 if read else 6)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (TABS.replace("1679.4", "1697.4"), 7, "Routing, 25 ip filter rules, 512 bytes: 410 kpps"),
        (SPACES.replace(" 400 4857.6", " 400 485.76"), 6, "differ by more than 1 %"),
        (LAYOUTS["lines"].replace("\n810.2\n", "\nabout\n"), None, "'about' is no number"),
        (TABS.replace("414.8", "x"), 6, "'x' is no number"),
        (SPACES.replace(" 650 ", " 6 50 "), 5, "more figures than the 6 columns"),
        (SPACES.replace("kpps Mbps kpps", "Mbps Mbps kpps"), 2, "two columns of mbps"),
        (SPACES.replace("512 byte", "1518 byte"), 2, "two columns of kpps at 1518 bytes"),
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
    texts = [*LAYOUTS.values(), "toaster",
             TABS.replace("1679.4", "1697.4"), SPACES.replace(" 650 ", " 6 50 ")]  # fmt: skip
    answers = both("results-table", [{"text": text} for text in texts])
    assert ["kept" in answer for answer in answers] == [True] * 5 + [False] * 3


def test_the_results_of_another_device_are_not_kept() -> None:
    inputs = {"text": TABS, "code": "RB750Gr3", "day": "2026-11-29"}
    refused = results_table.answer(inputs, CODES)
    assert refused["problem"]["input"] == "code" and "Dude" in refused["problem"]["says"]
    assert results_table.answer({**inputs, "code": ""}, CODES)["code"] == "RB1100Dx4"
    nameless = {**inputs, "text": TURNED, "code": ""}
    assert results_table.answer(nameless, CODES)["problem"]["input"] == "code"


def test_the_figure_and_the_explainer_get_what_was_pasted() -> None:
    inputs = {"text": TABS, "code": "", "day": "2026-11-29"}
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
