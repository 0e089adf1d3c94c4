"""The front page's figure, in a browser: a device's published packets a second, drawn and cited."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ppslab.course.models.results_table import SETTINGS
from ppslab.course.site.directives import rates
from tests.system.browser.visits import Visit, until

pytestmark = pytest.mark.browser

FIGURE = rates.data()
DEVICES = {each["code"]: each for each in FIGURE["devices"]}

EXPORT = """\
# 2026-11-01 10:00:00 by RouterOS 7.20.8
# software id = ABCD-1234
#
# model = RB4011iGS+
# serial number = 0123456789AB
/interface bridge
add name=bridge
/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=established,related
"""

BARS = """() => [...document.querySelectorAll(".ppslab-rates-bars li")].map((row) => {
  const [most, bar] = [...row.querySelectorAll("rect")]
    .map((rect) => parseFloat(rect.style.transform.slice("scaleX(".length)));
  const link = row.querySelector("a");
  return { size: row.dataset.size, most, bar, rate: row.querySelector("strong").textContent,
    bits: row.querySelector(".ppslab-rates-value span").textContent, title: link.title,
    source: document.getElementById(link.getAttribute("href").slice(1))?.textContent ?? "" };
})"""


def shown(page: Any) -> tuple[str, str, str]:
    """The device, the setting and the year of the figure."""
    data = page.locator(".ppslab-rates").evaluate("root => ({...root.dataset})")
    return data["device"], data["does"], data["year"]


def check(page: Any) -> None:
    """Every bar is as long as its number, every number is the data's, every source is there."""
    code, does, year = shown(page)
    device = DEVICES[DEVICES[code]["same"] or code]
    table = next(each for each in device["tables"] if each["year"] == year)
    rows = page.evaluate(BARS)
    assert [row["size"] for row in rows] == list(table["rates"][does])
    for row in rows:
        cell = table["rates"][does][row["size"]]
        assert (row["rate"], row["bits"]) == (cell["rate"], cell["bits"])
        assert row["bar"] == pytest.approx(cell["kpps"] / table["most"], abs=1e-4)
        free = table["rates"].get("fast-path", {}).get(row["size"])
        same = free and free["source"] == cell["source"]
        assert row["most"] == pytest.approx(free["kpps"] / table["most"] if same else 0, abs=1e-4)
        source = FIGURE["sources"][cell["source"]]["text"]
        assert source in row["title"] and source in row["source"]


def test_the_figure_begins_with_25_rules_and_every_setting_moves_it(visit: Any, site: str) -> None:
    seen = visit(f"{site}/index.html")
    page = seen.page
    assert shown(page) == (
        FIGURE["begin"],
        FIGURE["does"],
        DEVICES[FIGURE["begin"]]["tables"][0]["year"],
    )
    check(page)
    for key, _, _ in SETTINGS:
        page.locator(f".ppslab-rates-does label:has([value={key}])").click()
        assert shown(page)[1] == key
        check(page)
    assert seen.wrong == []


def test_the_keyboard_alone_chooses_device_and_setting(visit: Any, site: str) -> None:
    page = visit(f"{site}/index.html").page
    page.locator("#ppslab-device").focus()
    page.keyboard.type("RB4011")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('.ppslab-rates').dataset.device === 'RB4011iGS+RM'")
    assert page.url.endswith("?device=RB4011iGS%2BRM")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert shown(page)[:2] == ("RB4011iGS+RM", "queues")
    check(page)
    page.keyboard.press("Tab")
    focused = "document.activeElement.closest('.ppslab-rates-bars li')?.dataset.size"
    assert page.evaluate(focused) == "64"
    assert re.match(r"Source \d+: ", page.evaluate("document.activeElement.ariaLabel"))


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("#device=RB4011iGS%2B", "RB4011iGS+RM"),
        ("?device=hap%20ax3", "C53UiG+5HPaxD2HPaxD"),
        ("?device=nonsense", FIGURE["begin"]),
    ],
)
def test_the_address_names_the_device(visit: Any, site: str, words: str, code: str) -> None:
    assert shown(visit(f"{site}/index.html{words}").page)[0] == code


def explained(seen: Visit) -> None:
    """The page that explains has the export, and its answer is in view."""
    page = seen.page
    page.wait_for_url("**/book/explain.html")
    answer = page.locator(".ppslab-answer")
    until(page, "document.querySelector('.ppslab-answer')?.textContent.length > 100")
    until(page, "document.querySelector('.ppslab-told').getBoundingClientRect().top < innerHeight")
    assert answer.is_visible()
    page.go_back()
    until(page, "document.querySelector('.ppslab-rates')?.dataset.device === 'RB4011iGS+RM'")


def test_an_export_that_is_pasted_anywhere_is_explained(visit: Any, site: str) -> None:
    seen = visit(f"{site}/index.html")
    paste = """text => {
      const data = new DataTransfer();
      data.setData("text/plain", text);
      document.activeElement.dispatchEvent(
        new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
    }"""
    seen.page.evaluate(paste, "RB4011")
    assert "/explain.html" not in seen.page.url
    seen.page.evaluate(paste, EXPORT)
    explained(seen)
