"""Every lab whose router takes RouterOS commands beside its tasks: neither shell breaks the other.

They once did: the second MicroPython of a page emptied what the first one kept in its globals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import CannotHereError
from ppslab.testbed.backends.page_router import manifest_of
from tests.system.browser.firefox.bidi import Firefox
from tests.system.browser.firefox.test_firefox import PROGRAM, router_runs
from tests.system.browser.network import Network
from tests.system.browser.router.page import opened, press, runs

pytestmark = pytest.mark.browser

BOOK = Path(__file__).resolve().parents[4] / "book"
MODES = Path(__file__).with_name("modes.js").read_text(encoding="utf-8")
LABS = [
    path.parent.name
    for path in sorted(BOOK.glob("*/tasks.md"))
    if re.search(r"^:routeros: ", path.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.fixture(scope="module")
def firefox(network: Network, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    if not PROGRAM:
        pytest.skip("no Firefox: apt-get install firefox-esr")
    with Firefox(PROGRAM, network, tmp_path_factory.mktemp("firefox")) as started:
        yield started


def in_chromium(request: pytest.FixtureRequest, page: str) -> tuple[dict[str, str], list[str]]:
    context, visit = opened(
        request.getfixturevalue("browser"), request.getfixturevalue("site"), page=page
    )
    try:
        press(visit.page, "start")
        runs(visit.page)
        return visit.page.evaluate(MODES), visit.wrong
    finally:
        context.close()


def in_firefox(request: pytest.FixtureRequest, page: str) -> tuple[dict[str, str], list[str]]:
    firefox: Any = request.getfixturevalue("firefox")
    router_runs(
        firefox, request.getfixturevalue("site"), request.getfixturevalue("site_folder"), page
    )
    return firefox.evaluate(MODES), firefox.wrong


def test_labs_have_both() -> None:
    assert {"fastpath", "fasttrack", "queues"} <= set(LABS)


@pytest.mark.parametrize("run", [in_chromium, in_firefox])
@pytest.mark.parametrize("lab", LABS)
def test_tasks_are_begun_and_checked_from_either_shell(
    request: pytest.FixtureRequest, site_folder: Path, lab: str, run: Any
) -> None:
    try:
        manifest_of(site_folder / "_static/page-router")
    except CannotHereError as error:
        pytest.skip(f"the router in the page: {error}")
    steps, wrong = run(request, f"book/{lab}/tasks.html")
    assert steps["start"].startswith("Started."), steps
    # Nothing of the task is done: its check says what is missing, and is no error.
    assert steps["check"].endswith("Not yet."), steps
    assert steps["check in Linux"].endswith("Not yet."), steps
    assert re.search(r"\blab\b.*\bstate\b", steps["reset"]), steps
    # A task in RouterOS's words begins with the lab's own names of ports.
    assert re.search(r"address=198\.18\.1\.1/\d+ interface=(ether2|p1)", steps["/ip address print"])
    assert re.search(r"name=(ether2|p1) type=ether mtu=\d+ mac-address=", steps["/interface print"])
    assert wrong == []
