"""A page for each device with a figure: found, titled, linked from the table, and true."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from ppslab.course.site.directives import device_pages
from ppslab.model import devices
from ppslab.show import device_tables
from tests.course.site.small_site import Site

LISTED = [device for device in devices.load() if device.has_figures]


@pytest.mark.long
def test_every_device_with_a_figure_has_a_page_that_the_table_and_the_search_lead_to(
    site: Site,
) -> None:
    site.page("fast", "# Fast\n\n```{ppslab-list} device-speeds\n```\n")
    front = "# Front\n\n```{toctree}\n:hidden:\nfast\n```\n"
    _, warnings, _ = site.build(front)
    assert warnings == ""
    folder = site.out / "book/fast"
    pages = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.html")}
    assert set(pages) == {*(device.slug for device in LISTED), "compare"}
    table = (site.out / "book/fast.html").read_text(encoding="utf-8")
    linked = re.findall(r'href="fast/([\w-]+)\.html#([\w-]+)"', table)
    assert {slug for slug, _ in linked} == set(pages) - {"compare"}
    assert all(f'id="{anchor}"' in pages[slug] for slug, anchor in linked)
    words = (site.out / "_static/words.js").read_text(encoding="utf-8")
    answers = json.loads(words.partition("const ppslabAnswers=")[2].partition(";\n")[0])
    assert {f"book/fast/{slug}.html" for slug in pages} <= {one["address"] for one in answers}
    for device in LISTED:
        head = unescape(pages[device.slug].partition("</head>")[0])
        number = device_pages.headline(device).split(": ")[1].split(" ")[0]
        assert f'property="og:title" content="MikroTik {device.name}' in head
        assert number in head and "<svg" in pages[device.slug]
        # The relative addresses of the page lead somewhere.
        for address in re.findall(r'href="([^"#?:]+\.html)', pages[device.slug]):
            known = ("../explain.html", "../slow.html")  # pages that this small site lacks
            assert address in known or (folder / address).resolve().is_file(), address


@pytest.mark.parametrize(
    ("name", "line", "verdicts"),
    [
        # 265 Mbit/s with rules in 2025; with FastTrack 385 to 1820 in 2018.
        ("hEX", 100, ["yes", "yes", "yes", "yes"]),
        ("hEX", 300, ["no", "no", "yes", "perhaps"]),
        ("hEX", 1000, ["no", "no", "perhaps", "no"]),
        ("hEX", 2500, ["no: the ports"] * 4),
        ("RB5009", 2500, ["yes", "no", "yes", "perhaps"]),
        ("hAP ax2", 500, ["yes", "no", "yes", "perhaps"]),
        ("CCR2116", 1000, ["not known"] * 4),
    ],
)
def test_a_line_is_judged_by_the_figures(name: str, line: int, verdicts: list[str]) -> None:
    body = device_pages.page(devices.find(name))["body"]
    row = re.search(rf"<tr><th[^>]*>{line}<.*?</tr>", body, re.DOTALL)
    assert row and re.findall(r"<td[^>]*>(.*?)</td>", row[0]) == verdicts


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("hEX", "hEX: 265.2 Mbit/s with 25 filter rules"),
        ("CCR2116", "CCR2116-12G-4S+: at least 9000 Mbit/s (VXLAN)"),
        ("CCR2004-16G-2S+", "CCR2004-16G-2S+: about 4600 Mbit/s (configuration not named)"),
    ],
)
def test_a_title_has_the_number_and_what_it_is_of(name: str, title: str) -> None:
    assert device_pages.headline(devices.find(name)) == title


def test_what_is_not_known_of_a_device_is_said() -> None:
    said = " ".join(device_pages.unknown(devices.find("hAP ax3")))
    assert "25 simple queues" in said and "WireGuard" in said and "PPPoE" not in said


def test_a_year_ranks_its_own_rates_alone() -> None:
    for when, rows in device_tables.rankings().items():
        rates = [rate for row in rows for rate in row.rates if rate]
        assert {rate.when for rate in rates} == {when}
        first = [row.rates[0].mbps or 0 for row in rows if row.rates[0]]
        assert first == sorted(first, reverse=True)
