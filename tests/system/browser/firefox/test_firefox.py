"""The site in Debian's Firefox: whole pages, a widget, the policy."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.waiting import PATIENCE
from tests.system.browser.driving import with_widgets
from tests.system.browser.firefox.bidi import Firefox
from tests.system.browser.network import LAN_ADDRESS, Network
from tests.system.browser.server import SUB_PATH
from tests.system.browser.site.test_policy import INJECT

pytestmark = pytest.mark.browser

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox") or ""
PROGRESS = "() => globalThis.ppslab?.progress !== undefined"
WIDGET = "() => document.querySelector('.ppslab-widget[data-ready=true]')?.dataset.source"


@pytest.fixture(scope="module")
def firefox(network: Network, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    if not PROGRAM:
        pytest.skip("no Firefox: apt-get install firefox-esr")
    with Firefox(PROGRAM, network, tmp_path_factory.mktemp("firefox")) as started:
        yield started


def awaited(browser: Firefox, question: str, wanted: Any) -> None:
    """Ask until the page answers as wanted."""
    end = time.monotonic() + PATIENCE
    while (answer := browser.evaluate(question)) != wanted:
        assert time.monotonic() < end, (answer, browser.wrong)
        time.sleep(0.2)


@pytest.mark.parametrize("path", ["index.html", "book/claims.html", with_widgets()["nanoseconds"]])
def test_a_page_is_whole_and_runs_only_what_it_was_built_with(
    firefox: Firefox, site: str, path: str
) -> None:
    """At an address that is no secure context, under a sub-path: as on a web server in a hall.

    Firefox takes 'self' of a file in its own way: the page's own scripts must run there too.
    """
    there = site.replace("127.0.0.1", LAN_ADDRESS) + SUB_PATH
    firefox.open(f"{there}/{path}")
    awaited(firefox, PROGRESS, True)
    if path == with_widgets()["nanoseconds"]:
        awaited(firefox, WIDGET, "page")
    assert firefox.wrong == []
    assert all(url.startswith((f"{there}/", "data:", "blob:")) for url in firefox.asked)
    assert firefox.evaluate(INJECT) == []
