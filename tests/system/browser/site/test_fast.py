"""The page of all devices, in a browser: a device is chosen, a link is shared, a need is ranked."""

from __future__ import annotations

from typing import Any

import pytest

from ppslab.model import devices
from tests.course.models.test_results_table import SPACES
from tests.system.browser.visits import until

pytestmark = pytest.mark.browser

PAGE = "book/fast.html"

SHOWN = """() => [...document.querySelectorAll(".ppslab-devices tbody tr")]
  .filter((row) => row.checkVisibility())
  .map((row) => row.cells[0].querySelector("p").textContent.trim())"""

RANKED = """() => [...document.querySelectorAll(".ppslab-ranking tbody tr")]
  .filter((row) => row.checkVisibility())
  .map((row) => [row.cells[0].querySelector("p").textContent.trim(), row.cells[1].innerText])"""


def enough(least: float) -> list[str]:
    """The devices that are fast enough with 25 rules: the newest year first, then the slowest."""
    rates = [
        (-(row.year or 0), row.when, row.mbps or 0, row.device)
        for row in devices.results()
        if (row.mode, row.configuration, row.frame_bytes) == ("Routing", devices.RULES, 512)
    ]
    return [name for *_, mbps, name in sorted(rates) if mbps >= least]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("hex s", {"hEX S"}),
        ("RouterBOARD 750G r3", {"hEX"}),
        ("hAP ax³", {"hAP ax³"}),
        ("toaster", set()),
    ],
)
def test_a_shared_link_shows_its_device(visit: Any, site: str, query: str, names: set[str]) -> None:
    page = visit(f"{site}/{PAGE}?device={query.replace(' ', '%20')}").page
    until(page, "!document.getElementById('ppslab-devices-filter').hidden")
    assert set(page.evaluate(SHOWN)) == names
    assert page.locator("#ppslab-device").input_value() == query
    assert page.locator("#ppslab-devices-filter [role=status]").inner_text()


def test_a_need_leaves_the_devices_that_are_fast_enough_the_least_first(
    visit: Any, site: str
) -> None:
    seen = visit(f"{site}/{PAGE}?device=hEX")
    page = seen.page
    page.locator("#ppslab-need").fill("1000")
    rows = page.evaluate(RANKED)
    wanted = enough(1000)
    assert wanted and [name for name, _ in rows] == wanted
    assert set(page.evaluate(SHOWN)) == set(wanted)
    assert all("20" in rate for _, rate in rows), "each with its year"
    status = page.locator("#ppslab-devices-filter [role=status]").inner_text()
    assert status.startswith(f"{len(wanted)} ")
    assert page.url.endswith("?need=1000") and page.locator("#ppslab-device").input_value() == ""
    assert visit(page.url).page.evaluate(RANKED) == rows
    page.locator("#ppslab-need").fill("999999")
    assert page.evaluate(RANKED) == []
    page.locator("#ppslab-device").fill("hEX")
    assert set(page.evaluate(SHOWN)) == {"hEX"}
    assert seen.wrong == []


COMPARED = "document.querySelectorAll('#ppslab-compared table').length === 3"


def test_two_devices_are_compared_and_the_link_can_be_shared(visit: Any, site: str) -> None:
    seen = visit(f"{site}/book/fast/hex.html")
    page = seen.page
    page.get_by_role("link", name="Compare it with another device").click()
    until(page, "document.querySelector('#ppslab-compare-one')?.value === 'hEX'")
    page.locator("#ppslab-compare-other").fill("E50UG")
    page.locator("#ppslab-compare-other").press("Enter")
    until(page, COMPARED)
    assert page.url.endswith("/compare.html#hex/hex-refresh")
    assert "1.88 times" in page.locator("#ppslab-compared").inner_text()
    again = visit(page.url).page
    until(again, COMPARED)
    assert (
        again.locator("#ppslab-compared").inner_text().splitlines()[0]
        == (page.locator("#ppslab-compared").inner_text().splitlines()[0])
    )
    again.locator("#ppslab-compare-other").fill("toaster")
    again.locator("#ppslab-compare-other").press("Enter")
    until(again, "document.querySelector('#ppslab-compare [role=status]').textContent")
    assert again.locator("#ppslab-compared table").count() == 0
    assert seen.wrong == []


OTHER = {"RB750Gr3": "hEX", "RBD52G-5HacD2HnD-TCr2": "hAP ac²"}
"""Of the first we have figures, of the second none."""


@pytest.mark.parametrize("code", OTHER)
def test_a_pasted_table_is_kept_and_used_on_every_page(visit: Any, site: str, code: str) -> None:
    seen = visit(f"{site}/{PAGE}?device={code.replace('+', '%2B')}#ppslab-results")
    page = seen.page
    table = SPACES.replace("RB1100Dx4", code)
    page.locator("#ppslab-results-table").fill(table.replace("1679.4", "1697.4"))
    page.get_by_role("button", name="Read it").click()
    wrong = page.locator("#ppslab-results [role=alert]")
    wrong.wait_for()
    assert "Routing, 25 ip filter rules, 512 bytes: 410 kpps" in wrong.inner_text()
    page.locator("#ppslab-results-table").fill(table)
    page.get_by_role("button", name="Read it").click()
    send = page.get_by_role("link", name="Send it to us")
    send.wait_for()
    assert wrong.is_hidden() and "1679.4" in page.locator("#ppslab-results").inner_text()
    assert "template=test-results.yml" in send.get_attribute("href")
    page.get_by_role("link", name="See its figure").click()
    page.wait_for_url("**/index.html?device=*")
    until(page, f"document.querySelector('.ppslab-rates').dataset.device === '{code}'")
    says = page.locator(".ppslab-rates-says").inner_text()
    assert OTHER[code] in says and "1.68 Gbit/s" in says and "pasted" in says
    page.goto(f"{site}/book/explain.html")
    export = f"# model = {code}\n/ip address\nadd address=192.0.2.1/24 interface=ether1\n"
    page.locator("textarea.ppslab-paste").first.fill(export)
    page.locator("textarea.ppslab-paste").first.dispatch_event("change")
    until(page, "document.querySelector('.ppslab-answer')?.textContent.includes('1,679')")
    assert seen.wrong == []
