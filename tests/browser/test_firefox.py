"""The site in Debian's Firefox: pages whole, widgets that answer, from a LAN address too."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ppslab.models import NAMES, model
from tests.browser import driving, pages
from tests.browser.bidi import Firefox
from tests.browser.network import LAN_ADDRESS, Network
from tests.browser.server import SUB_PATH

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox") or ""
DRIVE = (Path(__file__).with_name("drive.js")).read_text(encoding="utf-8")

PAGES = ("index.html", "book/method.html", "book/claims.html")
WITH_A_PAGE = [name for name in NAMES if name in pages.with_widgets()]


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
