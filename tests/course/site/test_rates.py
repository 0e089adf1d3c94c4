"""The front page's figure: its numbers are those of the devices' data, each with its source."""

from __future__ import annotations

from typing import Any

import pytest

from ppslab.course.models.results_table import SETTINGS
from ppslab.course.site.directives import rates
from ppslab.model import devices
from ppslab.show import explained

FIGURE = rates.data()
BY_CODE: dict[str, Any] = {each["code"]: each for each in FIGURE["devices"]}
CELLS = [
    (device["code"], table["year"], key, int(size), cell)
    for device in FIGURE["devices"]
    for table in device["tables"]
    for key, sizes in table["rates"].items()
    for size, cell in sizes.items()
]


def test_every_number_of_the_figure_is_one_of_the_data_with_the_same_source() -> None:
    known = {
        (row.code, row.mode, row.configuration, row.frame_bytes, row.kpps, row.mbps,
         row.source.address)
        for row in devices.results()
    }  # fmt: skip
    settings = {key: (mode, configuration) for key, mode, configuration in SETTINGS}
    shown = {
        (code, *settings[key], size, cell["kpps"], cell["mbps"],
         FIGURE["sources"][cell["source"]]["href"])
        for code, _, key, size, cell in CELLS
    }  # fmt: skip
    assert len(shown) == len(CELLS) > 60
    assert shown <= known


def test_all_that_was_published_of_a_setting_is_in_the_figure() -> None:
    wanted = {
        (row.code, key, row.frame_bytes, row.kpps)
        for row in devices.results()
        for key, mode, configuration in SETTINGS
        if (row.mode, row.configuration) == (mode, configuration)
    }
    assert {(code, key, size, cell["kpps"]) for code, _, key, size, cell in CELLS} == wanted


@pytest.mark.parametrize(
    ("code", "year", "key", "size", "share"),
    [
        ("RB750Gr3", "2018", "rules", "64", "9 %"),
        ("RB750Gr3", "2018", "fast-path", "64", ""),
        ("RB750Gr3", "2025", "rules", "512", ""),
        ("RB5009UG+S+IN", "by 2025", "rules", "512", ""),
    ],
)
def test_a_share_is_of_one_year_and_one_document(
    code: str, year: str, key: str, size: str, share: str
) -> None:
    table = next(each for each in BY_CODE[code]["tables"] if each["year"] == year)
    assert table["rates"][key][size]["share"] == share


@pytest.mark.parametrize(
    ("code", "same"),
    [
        ("RBM33G", "RB750Gr3"),
        ("RB4011iGS+5HacQ2HnD-IN", "RB4011iGS+RM"),
        ("RB750Gr3", ""),
        ("CCR2216-1G-12XS-2XQ", ""),
        # The same chip with another clock is another class.
        ("CCR2004-16G-2S+PC", ""),
    ],
)
def test_without_results_the_numbers_are_those_of_a_device_with_the_same_cpu(
    code: str, same: str
) -> None:
    device = BY_CODE[code]
    assert device["same"] == same
    if same:
        assert not device["tables"] and device["cpu"] == BY_CODE[same]["cpu"]


def test_the_newest_year_comes_first_and_explain_has_its_figure() -> None:
    for code, device in BY_CODE.items():
        ends = [int("0" + table["year"][-4:]) for table in device["tables"] if table["rates"]]
        assert ends == sorted(ends, reverse=True), code
    published = explained.published()
    first = BY_CODE["RB750Gr3"]["tables"][0]["rates"]["rules"]["512"]["mbps"]
    rules = [row for row in published["RB750Gr3"] if row["configuration"] == devices.RULES]
    assert first == rules[0]["mbps"] == 265.2


def test_explain_has_the_figures_of_a_device_with_the_same_cpu_and_names_it() -> None:
    published = explained.published()
    assert {row["of"] for row in published["RB5009UPr+S+IN"]} == {"RB5009UG+S+IN"}
    assert "of" not in published["RB5009UG+S+IN"][0]
    assert "CCR2004-16G-2S+PC" not in published
