"""The page of the slow routers as it is without a script, and what is packed in it."""

from __future__ import annotations

import base64
import gzip
import json
import re
from html import unescape
from typing import Any

import pytest

from ppslab.course import cases
from ppslab.course.widgets import facts
from tests.course.site.small_site import Site

pytestmark = pytest.mark.long

CASES = dict(cases.every())


@pytest.fixture
def page(site: Site) -> str:
    shown, _, _ = site.build("# Routers\n\n```{ppslab-cases}\n```\n")
    return shown


def unpacked(page: str) -> Any:
    [text] = re.findall(r'id="ppslab-cases-data">([^<]+)</script>', page)
    return json.loads(gzip.decompress(base64.b64decode(text)))


def test_every_case_is_listed_and_has_an_address(page: str) -> None:
    for name, case in CASES.items():
        number = int(name.partition("-")[0])
        [entry] = re.findall(rf'<li id="{number}" data-case="{name}">.*?</dl>', page, re.DOTALL)
        assert case.measured in " ".join(unescape(entry).split())
        assert f"{case.par} moves" in entry


def test_no_cause_and_no_solution_can_be_read_on_the_page(page: str) -> None:
    for case in CASES.values():
        hidden = [each.text for each in case.causes] + [*case.solutions, *case.hints]
        hidden += [line for line in case.debrief.splitlines() if line]
        assert [text for text in hidden if text.strip() in page] == []


def test_the_script_gets_what_the_model_needs_and_where_to_read_on(page: str) -> None:
    data = unpacked(page)
    known = facts.of("cases")
    assert {name: data[name] for name in known} == known
    for name, case in CASES.items():
        told = data["told"][name]
        address, title = told["chapter"]
        assert address == f"{case.chapter}.html"
        assert title
        assert len(told["manual"]) == len(case.facts)
