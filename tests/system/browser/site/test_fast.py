"""The page of all devices, in a browser: a device is chosen, a link is shared, a need is ranked."""

from __future__ import annotations

from typing import Any

import pytest

from ppslab.model import devices
from ppslab.model.devices import needs
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
    """The devices with a published rate with 25 rules of at least as much, the slowest first."""
    rates = [(each, needs.routing(each, devices.RULES, 512)) for each in devices.load()]
    found = [(rate.mbps, each.name) for each, rate in rates if rate and (rate.mbps or 0) >= least]
    return [name for _, name in sorted(found, key=lambda row: row[0] or 0)]


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
    page = visit(f"{site}/{PAGE}").page
    page.goto(f"{site}/{PAGE}?device={query.replace(' ', '%20')}")
    until(page, "!document.getElementById('ppslab-devices-filter').hidden")
    assert set(page.evaluate(SHOWN)) == names
    assert page.locator("#ppslab-device").input_value() == query
    assert page.locator("#ppslab-devices-filter [role=status]").inner_text()


def test_a_device_is_chosen_and_its_link_can_be_shared(visit: Any, site: str) -> None:
    seen = visit(f"{site}/{PAGE}")
    page = seen.page
    every = page.evaluate(SHOWN)
    assert set(every) == {device.name for device in devices.load()}
    page.locator("#ppslab-device").fill("RB5009")
    shown = set(page.evaluate(SHOWN))
    assert "RB5009UG+S+IN" in shown and len(shown) < 10
    assert page.url.endswith("?device=RB5009")
    again = visit(page.url).page
    assert set(again.evaluate(SHOWN)) == shown
    page.get_by_role("button", name="Show all").click()
    until(page, "!location.search")
    assert page.evaluate(SHOWN) == every
    assert seen.wrong == []


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
    assert all("[" in rate and "20" in rate for _, rate in rows), "each with its year and source"
    status = page.locator("#ppslab-devices-filter [role=status]").inner_text()
    assert status.startswith(f"{len(wanted)} ")
    assert page.url.endswith("?need=1000") and page.locator("#ppslab-device").input_value() == ""
    assert visit(page.url).page.evaluate(RANKED) == rows
    page.locator("#ppslab-need").fill("999999")
    assert page.evaluate(RANKED) == []
    page.locator("#ppslab-device").fill("hEX")
    assert set(page.evaluate(SHOWN)) == {"hEX"}
    assert seen.wrong == []
