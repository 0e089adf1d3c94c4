"""The router in the page: loaded when asked, a ping through it, what it keeps, what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import CannotHereError
from ppslab.testbed.backends.page_router import manifest_of
from tests.system.browser.router.page import (
    PAGE,
    SCREEN,
    SECONDS,
    opened,
    press,
    runs,
    status,
)
from tests.system.browser.visits import Visit, until

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def manifest(site_folder: Path) -> dict[str, Any]:
    try:
        return manifest_of(site_folder / "_static/page-router")
    except CannotHereError as error:
        pytest.skip(f"the router in the page: {error}")


COMMANDS = count(1)


def typed(page: Any, command: str) -> str:
    """Type a command and wait for its end; what the screen shows of it, with its exit code."""
    number = next(COMMANDS)
    # What is typed is on the screen too, and is not what it prints: end$((1)), end1.
    page.locator(".ppslab-router-screen textarea").press_sequentially(
        f"{command}; echo exit $? end$(({number}))\n"
    )
    until(page, f"a => {SCREEN}.includes(a)", arg=f"end{number}\n")
    screen = str(page.evaluate(SCREEN))
    return screen.rpartition(f"end{number}\n")[0].rpartition(f"end{number - 1}\n")[2]


@pytest.fixture(scope="module")
def router(browser: Any, site: str, manifest: dict[str, Any]) -> Iterator[Visit]:
    """A router that runs, on a page whose network was cut when it had loaded."""
    del manifest
    context, made = opened(browser, site)
    before = list(made.asked)
    assert not [url for url in before if "router-" in url or "page-router/" in url]
    press(made.page, "start")
    runs(made.page)
    context.set_offline(True)
    yield made
    context.close()


def test_a_host_pings_another_through_the_router(router: Visit) -> None:
    """The network of the browser is cut: what answers is in the page."""
    said = typed(router.page, "host1 ping -c 2 198.18.2.2")
    assert "ttl=63" in said, "one router has taken one from 64"
    assert "2 packets received" in said
    assert router.wrong == []


def counted(page: Any) -> tuple[float, str]:
    """Press the button; the figure, and the table's newest row."""
    press(page, "count")
    until(page, "document.querySelector('.ppslab-router [data-does=count]')", timeout=240_000)
    said = status(page)
    found = re.search(r" (-?\d+) ", said)
    assert found, said
    newest = page.locator(".ppslab-router-costs tbody tr").first
    row = newest.inner_text()
    assert newest.get_attribute("data-source") == "now" and f"\t{found[1]}\t" in row
    return float(found[1]), row


def test_it_counts_what_a_packet_costs_now(router: Visit) -> None:
    """Rules that match nothing are paid for; what is dropped at the ingress costs nothing."""
    page = router.page
    plain, row = counted(page)
    assert plain > 1000 and row.endswith("all")

    assert "exit 0" in typed(page, "dut nft add table inet mine")
    chain = "'{ type filter hook forward priority 0; }'"
    assert "exit 0" in typed(page, f"dut nft add chain inet mine f {chain}")
    rule = "dut nft add rule inet mine f ip saddr 10.0.0.$n drop"
    assert "exit 0" in typed(page, f"for n in $(seq 25); do {rule}; done")
    ruled, row = counted(page)
    assert 25 * 20 < ruled - plain < 25 * 500 and row.endswith("all")
    assert "exit 0" in typed(page, "dut nft delete table inet mine")

    assert "exit 0" in typed(page, "dut nft add table netdev mine")
    chain = "'{ type filter hook ingress device eth1 priority 0; policy drop; }'"
    assert "exit 0" in typed(page, f"dut nft add chain netdev mine i {chain}")
    dropped, row = counted(page)
    assert abs(dropped) < plain / 20 and re.search(r"\t0 of \d+$", row)
    assert "exit 0" in typed(page, "dut nft delete table netdev mine")

    # A program that takes packets before a rule can drop them hides what sending costs.
    assert "exit 0" in typed(page, "dut tc qdisc add dev eth1 clsact")
    taken = "matchall action mirred egress redirect dev eth2"
    assert "exit 0" in typed(page, f"dut tc filter add dev eth1 ingress {taken}")
    press(page, "count")
    until(page, "document.querySelector('.ppslab-router-status').textContent.includes('could not')")
    assert "exit 0" in typed(page, "dut tc qdisc delete dev eth1 clsact")

    rows = page.locator(".ppslab-router-costs tbody tr").all()
    sources = [row.get_attribute("data-source") for row in rows]
    assert sources == ["now", "before", "before", "book"]
    own = page.evaluate("ppslab.progress.read().figures.find(each => each.lab.startsWith('page-'))")
    assert [float(cost) for _, cost in own["rows"]] == [dropped, ruled, plain]
    assert "in this browser" in own["provenance"]
    assert "ppslab_cost" not in typed(page, "dut nft list ruleset; host2 nft list ruleset")


def test_what_was_saved_is_there_again(router: Visit, site: str) -> None:
    """After a page that was loaded anew, from the browser's own store."""
    page = router.page
    assert "exit 0" in typed(page, "echo mine >/mine")
    press(page, "save")
    saved = "document.querySelector('.ppslab-router-status').textContent.startsWith('Saved in')"
    until(page, saved)
    page.context.set_offline(False)
    page.goto(f"{site}/{PAGE}")
    page.locator("[data-does=continue]").wait_for()
    press(page, "continue")
    runs(page)
    assert "\nmine\n" in typed(page, "cat /mine")
    press(page, "stop")
    press(page, "forget")
    page.locator("[data-does=continue]").wait_for(state="detached")


def test_prepared_buttons_start_the_router_and_move_its_figure(
    browser: Any, site: str, manifest: dict[str, Any]
) -> None:
    """On the front page, which fetches nothing of it before; rules cost, and FastTrack less."""
    del manifest
    context, made = opened(browser, site, page="index.html")
    page = made.page
    assert not [url for url in made.asked if "router-" in url or "page-router/" in url]
    costs = {}
    for name, rows in (("25 rules", 2), ("FastTrack", 3)):
        page.click(f"[data-prepared='{name}']")
        until(page, f"document.querySelectorAll('.ppslab-router-bars li').length === {rows}",
              timeout=1000 * SECONDS)  # fmt: skip
        until(page, f"!document.querySelector('[data-prepared=\"{name}\"]').disabled")
    for row in page.locator(".ppslab-router-bars li").all_inner_texts():
        found = re.search(r"(.+?)\s+([\d\s]+) instructions", row)
        assert found, row
        costs[found[1].strip()] = float(re.sub(r"\D", "", found[2]))
    assert 0 < costs["FastTrack"] < costs["No rules"] < costs["25 rules"]
    assert made.wrong == []
    context.close()
