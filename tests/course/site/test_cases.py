"""Cases and drills on a page as they are without a script, and what is packed in it."""

from __future__ import annotations

import base64
import gzip
import json
import re
from html import unescape
from typing import Any

import pytest

from ppslab.course import practice
from ppslab.course.widgets import facts
from tests.course.site.small_site import Site

pytestmark = pytest.mark.long

LISTED: dict[str, dict[str, practice.Exercise]] = {
    "{ppslab-cases}": {**practice.cases()},
    "{ppslab-drills} fasttrack": {**practice.drills("fasttrack-")},
}


@pytest.fixture(params=LISTED)
def listed(request: pytest.FixtureRequest, site: Site) -> tuple[str, dict[str, practice.Exercise]]:
    """The page with a list, and what it lists."""
    shown, _, _ = site.build(f"# Routers\n\n```{request.param}\n```\n")
    return shown, LISTED[request.param]


def unpacked(page: str) -> Any:
    [text] = re.findall(r'id="ppslab-cases-data">([^<]+)</script>', page)
    return json.loads(gzip.decompress(base64.b64decode(text)))


def test_each_is_listed_and_has_an_address(listed: Any) -> None:
    page, known = listed
    for name, one in known.items():
        [entry] = re.findall(rf'<li id="{name}" data-case="{name}">.*?</li>', page, re.DOTALL)
        words = " ".join(unescape(re.sub("<[^>]+>", " ", entry)).split())
        assert one.title in words
        if isinstance(one, practice.Case):
            assert one.measured in words
            assert f"{one.par} moves" in words


def test_another_page_links_to_a_case_by_its_name(site: Site) -> None:
    site.page("more", "# More\n\n[The evening](13-evening)\n")
    _, warnings, _ = site.build("# Routers\n\n```{ppslab-cases}\n```\n")
    more = (site.out / "book/more.html").read_text(encoding="utf-8")
    assert 'index.html#13-evening"' in more, warnings


def test_no_cause_and_no_solution_can_be_read_on_the_page(listed: Any) -> None:
    page, known = listed
    for one in known.values():
        hidden = [*one.solutions, *one.hints, *(line for line in one.debrief.splitlines() if line)]
        hidden += [each.text for each in getattr(one, "causes", ())]
        assert [text for text in hidden if text.strip() in page] == []


def test_the_script_gets_what_the_model_needs_and_where_to_read_on(listed: Any) -> None:
    page, known = listed
    data, every = unpacked(page), facts.of("cases")
    assert data["cases"] == {name: every["cases"][name] for name in known}
    assert {name: data[name] for name in ("base", "properties")} == {
        name: every[name] for name in ("base", "properties")
    }
    for name, one in known.items():
        address, title = data["told"][name]["chapter"]
        assert address == f"book/{one.chapter}.html"
        assert title
        assert len(data["told"][name]["manual"]) == len(one.facts)
