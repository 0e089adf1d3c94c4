"""RouterOS commands at the router in the page: told to Linux, refused with reasons, marked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import CannotHereError
from ppslab.testbed.backends.page_router import manifest_of
from tests.system.browser.router.page import opened, press, runs
from tests.system.browser.visits import until

pytestmark = pytest.mark.browser

VIEW = ".ppslab-routeros"
MODEL = "not RouterOS"
FILTER = "/ip firewall filter "


def typed(page: Any, line: str) -> str:
    """Type a line; all that the view says of it."""
    before = page.locator(f"{VIEW}-log").inner_text()
    page.fill(f"{VIEW} input", line)
    page.press(f"{VIEW} input", "Enter")
    until(page, f"!document.querySelector('{VIEW}').dataset.busy")
    return str(page.locator(f"{VIEW}-log").inner_text()[len(before) :])


def asked(page: Any, command: str) -> str:
    """What the router itself says, beside the terminal."""
    ask = "script => document.querySelector('.ppslab-router').router.asking({do: 'ask', script})"
    return str(page.evaluate(f"async (script) => (await ({ask})(script)).output", command))


def test_routeros_commands_reach_the_router_and_say_that_they_are_a_model(
    browser: Any, site: str, site_folder: Path
) -> None:
    try:
        manifest_of(site_folder / "_static/page-router")
    except CannotHereError as error:
        pytest.skip(f"the router in the page: {error}")
    context, reader = opened(browser, site)
    page = reader.page
    press(page, "start")
    runs(page)
    page.click("[data-shell=routeros]")
    page.locator(VIEW).wait_for()
    assert MODEL in page.locator(f"{VIEW}-model").inner_text()
    assert MODEL in page.locator(f"{VIEW} label").inner_text()

    said = typed(page, "/ip firewall filter add chain=forward protocol=icmp action=drop")
    assert "meta l4proto icmp counter drop" in said
    assert "100% packet loss" in asked(page, "ip netns exec host1 ping -c 1 -W 1 198.18.2.2")
    assert "packets 1 " in asked(page, "ip netns exec dut nft list table ip routeros-filter")
    assert "layer7-protocol: " in typed(
        page, "/ip firewall filter add chain=forward layer7-protocol=x action=drop"
    )
    said = typed(page, "/ip firewall filter add chain=forward action=fasttrack-connection "
                 "connection-state=established,related place-before=0")  # fmt: skip
    assert "Linux refused" not in said
    for line in (
        "/interface vlan add name=inside interface=ether2 vlan-id=10",
        "/queue type add name=lab kind=cake",
        "/queue simple add name=host target=198.18.1.2 max-limit=10M/10M queue=lab/lab",
    ):
        assert "refused" not in typed(page, line)
    assert "cake" in asked(page, "ip netns exec dut tc qdisc show dev eth2")
    assert "protocol=icmp" in typed(page, "/ip firewall filter print")
    # Counters are those since the list changed; only what is let through is a connection.
    for address in ("198.18.2.2", "198.18.1.1"):
        asked(page, f"ip netns exec host1 ping -c 1 -W 1 {address}")
    assert re.search(r"action=drop bytes=[1-9]\d* packets=\d+", typed(page, FILTER + "print stats"))
    assert re.search(r"name=ether2 rx-byte=[1-9]", typed(page, "/interface print stats"))
    assert re.search(r"packets=\d+/\d+", typed(page, "/queue simple print stats"))
    assert "protocol=icmp" in typed(page, "/ip firewall connection print")
    assert "Linux refused" not in typed(page, "/ip firewall connection remove [find]")
    assert "RECORDED, NOT THIS ROUTER" in typed(page, "/tool profile")
    typed(page, "/ip firewall filter remove 0,1")
    assert "1 packets received" in asked(page, "ip netns exec host1 ping -c 1 -W 2 198.18.2.2")

    # The shell of Linux is still there, and one finds one's lines again.
    page.click("[data-shell=linux]")
    assert page.locator(VIEW).is_hidden() and page.locator(".ppslab-router-screen").is_visible()
    page.click("[data-shell=routeros]")
    assert "layer7-protocol" in page.locator(f"{VIEW}-log").inner_text()
    assert reader.wrong == []
    context.close()
