"""The site, built from recorded runs, and browsers that can reach nothing but it.

Server and browsers are in a network namespace with a loopback and one address of a network that
leads nowhere: what a page asks of any other host fails, and is seen.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from ppslab.core import paths
from tests.support.waiting import PATIENCE
from tests.system.browser.network import Network
from tests.system.browser.server import serving
from tests.system.browser.visits import Visit

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).parent
# The shell has no window to draw: a page takes two thirds of the CPU that it takes in the other.
PROGRAMS = ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium")
CHROMIUM = next((each for each in PROGRAMS if Path(each).is_file()), PROGRAMS[-1])
# As root in a container there is no sandbox; the rest keeps Chromium from calling home.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def _make(*words: str) -> None:
    """Make a target; tests that run side by side wait for one another."""
    # pytest itself runs under `make test`: what make says to its children is not for this one.
    variables = {k: value for k, value in os.environ.items() if not k.startswith(("MAKE", "MF"))}
    (ROOT / "_build").mkdir(exist_ok=True)
    with (ROOT / "_build/browser-tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            ["make", "--no-print-directory", *words],
            cwd=ROOT, env=variables, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """The folder of what the tests need from npm: axe."""
    _make("tests/system/browser/node_modules/.installed")
    return HERE / "node_modules"


@pytest.fixture(scope="session")
def site_folder() -> Path:
    """The folder of the site of the kept records, built where something has changed since.

    $PPSLAB_SITE: a folder with a site that is looked at instead.
    """
    folder = os.environ.get("PPSLAB_SITE")
    if not folder:
        _make("site", "KEPT=yes")
        folder = str(paths.site_build(ROOT, paths.kept_results(ROOT)) / "html")
    return Path(folder).absolute()


@pytest.fixture(scope="session")
def network() -> Iterator[Network]:
    """A network that ends at this machine."""
    missing = [tool for tool in ("unshare", "nsenter", "ip") if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    with Network() as made:
        yield made


@pytest.fixture(scope="session")
def site(site_folder: Path, network: Network) -> Iterator[str]:
    """The address of the served site, without a slash at its end."""
    with serving(site_folder, network) as port:
        yield f"http://127.0.0.1:{port}"


_drivers: list[Any] = []


@contextmanager
def chromium(program: str = CHROMIUM) -> Iterator[Any]:
    """Chromium, without a window, while this is open; the test is skipped where there is none.

    Playwright's loop runs until it ends, and a process can have one: whoever comes while another
    is open shares that one's, and afterwards the process may run a loop of its own again.
    """
    if not shutil.which(CHROMIUM):
        pytest.skip(f"no {CHROMIUM}: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with ExitStack() as stack:
        if not _drivers:
            _drivers.append(stack.enter_context(sync_playwright()))
            stack.callback(_drivers.clear)
        browser = _drivers[0].chromium.launch(executable_path=program, args=ARGUMENTS)
        stack.callback(browser.close)
        for opens in ("new_context", "new_page"):
            setattr(browser, opens, _patient(getattr(browser, opens)))
        yield browser


def _patient(opens: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same function; what it opens waits longer than Playwright's half minute."""

    def opened(**words: Any) -> Any:
        page = opens(**words)
        page.set_default_timeout(1000 * PATIENCE)
        return page

    return opened


@pytest.fixture(scope="session")
def browser(network: Network, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium in that network."""
    with chromium(network.program(CHROMIUM, tmp_path_factory.mktemp("chromium"))) as begun:
        yield begun


@pytest.fixture
def visit(browser: Any, request: pytest.FixtureRequest) -> Any:
    """A function that opens a page at a width, with words of Playwright's `new_context`."""

    def open_page(address: str, width: int = 1280, **words: Any) -> Visit:
        context = browser.new_context(viewport={"width": width, "height": 900}, **words)
        request.addfinalizer(context.close)
        opened = Visit(context.new_page())
        opened.listen()
        opened.open(address)
        return opened

    return open_page


def toc_pages() -> list[str]:
    """Every page of the table of contents, as its address in the site."""
    files = re.findall(r"\bfile: *(\S+)", (ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return ["index.html", *(f"{file}.html" for file in files)]
