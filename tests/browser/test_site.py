"""The site in a real browser: every page loads whole, from the site alone, and shows the runs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ppslab.directives.offline import external_addresses
from tests.browser.conftest import Built, toc_pages

PAGES = [*toc_pages(), "search.html", "genindex.html"]


@dataclass
class Visit:
    """A page in a browser, with everything that went wrong on it."""

    page: Any
    asked: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def listen(self) -> None:
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("requestfailed", lambda r: self.wrong.append(f"failed: {r.url}"))
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on(
            "response",
            lambda r: self.wrong.append(f"{r.status}: {r.url}") if r.status >= 400 else None,
        )
        self.page.on(
            "console",
            lambda said: (
                self.wrong.append(f"console: {said.text} ({said.location.get('url')})")
                if said.type in ("error", "warning")
                else None
            ),
        )


@pytest.fixture
def visit(browser: Any, request: pytest.FixtureRequest) -> Any:
    """A function that opens a page at a width, light or dark."""

    def open_page(address: str, width: int = 1280, scheme: str = "light") -> Visit:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        request.addfinalizer(context.close)
        made = Visit(context.new_page())
        made.listen()
        made.page.goto(address)
        made.page.wait_for_load_state("networkidle")
        return made

    return open_page


@pytest.mark.parametrize("path", PAGES)
def test_a_page_loads_whole_and_from_the_site_alone(visit: Any, site: str, path: str) -> None:
    seen = visit(f"{site}/{path}")
    assert seen.wrong == []
    outside = [url for url in seen.asked if not url.startswith((f"{site}/", "data:"))]
    assert outside == []
    assert seen.page.locator("h1").count() >= 1


@pytest.mark.parametrize("path", toc_pages())
def test_a_page_is_no_wider_than_a_telephone(visit: Any, site: str, path: str) -> None:
    seen = visit(f"{site}/{path}", width=390)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("path", toc_pages())
def test_every_link_inside_the_site_leads_somewhere(site_folder: Path, path: str) -> None:
    page = site_folder / path
    text = page.read_text(encoding="utf-8")
    links = re.findall(r'<a\b[^>]*?\bhref="([^"]+)"', text)
    assert links
    missing = []
    for link in links:
        address, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:|//", address):
            continue
        target = (page.parent / address).resolve() if address else page
        if not target.is_file():
            missing.append(link)
        elif anchor and target.suffix == ".html":
            body = target.read_text(encoding="utf-8")
            if f'id="{anchor}"' not in body:
                missing.append(link)
    assert missing == []


def test_nothing_in_the_site_would_be_fetched_from_elsewhere(site_folder: Path) -> None:
    assert external_addresses(site_folder) == []


def test_the_front_page_shows_the_newest_run_and_what_made_it(
    visit: Any, site: str, built: Built
) -> None:
    record = built.record
    seen = visit(f"{site}/index.html")
    text = seen.page.inner_text("article")
    if record is None:
        assert "No run of fastpath is recorded yet" in text
        return
    assert record.provenance() in text
    assert f"{record.started:%d %B %Y, %H:%M} UTC" in text
    rows = seen.page.locator("table.ppslab-table").first.locator("tbody tr")
    assert rows.count() == len(record.conditions)
    assert re.search(r"\d+ \[\d+, \d+\] ns", rows.first.inner_text())
    assert seen.page.locator("figure.ppslab-figure svg[role=img]").count() == 1


def test_a_guess_is_kept_and_shown_beside_the_result(visit: Any, site: str, built: Built) -> None:
    seen = visit(f"{site}/notebooks/fastpath.html")
    field_of = "input[data-guess=routing-fast-path]"
    seen.page.fill(field_of, "0.5")
    if built.record is not None:
        assert seen.page.inner_text(".guess-routing-fast-path") == "0.5"
    seen.page.reload()
    assert seen.page.input_value(field_of) == "0.5"


def test_the_search_finds_the_front_page(visit: Any, site: str) -> None:
    seen = visit(f"{site}/search.html?q=newest")
    seen.page.wait_for_selector("#search-results li a")
    links = seen.page.locator("#search-results li a").evaluate_all("all => all.map(a => a.href)")
    assert links
    for link in links[:3]:
        assert visit(link).wrong == []


def test_drawings_take_the_colour_of_a_dark_page(visit: Any, site: str) -> None:
    seen = visit(f"{site}/book/fastpath/index.html", scheme="dark")
    colour = seen.page.locator("figure.ppslab-figure svg text").first.evaluate(
        "text => getComputedStyle(text).fill"
    )
    red, green, blue = (int(part) for part in re.findall(r"\d+", colour)[:3])
    assert min(red, green, blue) > 150
