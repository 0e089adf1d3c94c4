"""The site in Debian's Firefox: pages, widgets, the live router; from a LAN address too."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import CannotHereError
from ppslab.course.models import WIDGETS, model
from ppslab.testbed.backends.page_router import manifest_of
from tests.support.waiting import PATIENCE
from tests.system.browser import driving, pages
from tests.system.browser.firefox.bidi import Firefox
from tests.system.browser.network import LAN_ADDRESS, Network
from tests.system.browser.router.page import PAGE, SCREEN, SECONDS, STATE
from tests.system.browser.server import SUB_PATH
from tests.system.browser.site.injected import INJECT, WHERE, addresses

pytestmark = pytest.mark.browser

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox") or ""
DRIVE = (Path(__file__).with_name("drive.js")).read_text(encoding="utf-8")
# A page is loaded before its modules have run: on a busy machine by seconds.
PROGRESS = """async () => {
  for (let tenth = 0; tenth < 1200 && !globalThis.ppslab?.progress; tenth++)
    await new Promise(done => setTimeout(done, 100));
  return globalThis.ppslab?.progress !== undefined;
}"""

START_ROUTER = "() => document.querySelector('.ppslab-router [data-does=start]').click()"
ROUTER_STATUS = "() => document.querySelector('.ppslab-router-status').textContent"
# xterm.js takes what is pasted as it takes what is typed.
TYPE = "text => document.querySelector('.ppslab-router').router.terminal.paste(text)"


PAGES = ("index.html", "book/method.html", "book/claims.html")
WITH_A_PAGE = [name for name in WIDGETS if name in pages.with_widgets()]


@pytest.fixture(scope="module")
def firefox(network: Network, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    if not PROGRAM:
        pytest.skip("no Firefox: apt-get install firefox-esr")
    with Firefox(PROGRAM, network, tmp_path_factory.mktemp("firefox")) as started:
        yield started


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_whole(firefox: Firefox, site: str, path: str) -> None:
    firefox.open(f"{site}/{path}")
    assert firefox.evaluate("() => document.querySelectorAll('h1').length") >= 1
    assert firefox.wrong == []
    assert all(url.startswith((f"{site}/", "data:", "blob:")) for url in firefox.asked)


def first_changes(controls: list[Any]) -> list[tuple[Any, Any]]:
    """One change of each number and switch, which is told in one event."""
    found = []
    for control in controls:
        if "when" in control or control["kind"] not in ("number", "switch"):
            continue
        value = control["value"]
        other = not value if control["kind"] == "switch" else control["high"]
        if other != value:
            found.append((control["name"], other))
    return found


@pytest.mark.parametrize("name", WITH_A_PAGE)
def test_a_widget_answers_as_its_model_does(
    firefox: Firefox, site: str, site_folder: Path, name: str
) -> None:
    """At an address that is no secure context, under a sub-path: as on a web server in a hall."""
    state = pages.state(site_folder, name)
    there = site.replace("127.0.0.1", LAN_ADDRESS) + SUB_PATH
    firefox.open(f"{there}/{pages.with_widgets()[name]}")
    changes = first_changes(state["controls"])
    shown = firefox.evaluate(DRIVE, name, changes)
    wanted = model(name).answer({**state["inputs"], **dict(changes)}, state["facts"])
    assert shown["source"] == "page"
    assert list(driving.differences(shown["values"], driving.expected(wanted)["values"])) == []
    assert firefox.wrong == []
    assert all(url.startswith((f"{there}/", "data:", "blob:")) for url in firefox.asked)


@pytest.mark.parametrize("where", WHERE)
def test_what_a_page_was_not_built_with_does_not_run(
    firefox: Firefox, site: str, site_folder: Path, where: str
) -> None:
    """Firefox takes 'self' of a file in its own way: the page's own scripts must run there too."""
    firefox.open(f"{addresses(site, site_folder)[where]}/book/claims.html")
    assert firefox.evaluate(PROGRESS)
    assert firefox.wrong == []
    assert firefox.evaluate(INJECT) == []


def awaited(browser: Firefox, question: str, wanted: Any, seconds: float) -> None:
    """Ask until the page answers as wanted; it fails with what the router says."""
    end = time.monotonic() + seconds
    while (said := browser.evaluate(question)) != wanted:
        assert time.monotonic() < end, (said, browser.evaluate(ROUTER_STATUS), browser.wrong)
        time.sleep(0.2)


def router_runs(firefox: Firefox, site: str, site_folder: Path, page: str) -> dict[str, Any]:
    """Start the router of a page; the manifest of its build."""
    try:
        manifest = manifest_of(site_folder / "_static/page-router")
    except CannotHereError as error:
        pytest.skip(f"the router in the page: {error}")
    firefox.open(f"{site}/{page}")
    awaited(firefox, f"() => {STATE}", "idle", PATIENCE)
    firefox.evaluate(START_ROUTER)
    awaited(firefox, f"() => {STATE}", "running", SECONDS)
    return manifest


def test_a_host_pings_another_through_the_router_in_the_page(
    firefox: Firefox, site: str, site_folder: Path
) -> None:
    router_runs(firefox, site, site_folder, PAGE)
    firefox.evaluate(TYPE, "host1 ping -c 2 198.18.2.2; echo end$((1))\r")
    awaited(firefox, f"() => {SCREEN}.includes('end1\\n')", True, 60)
    screen = firefox.evaluate(f"() => {SCREEN}")
    assert "ttl=63" in screen and "2 packets received" in screen, screen
    assert firefox.wrong == []
    assert all(url.startswith((f"{site}/", "data:", "blob:")) for url in firefox.asked)
