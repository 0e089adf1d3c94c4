"""Cases, drills, the dialogue and answers of explain on a page, as they are without a script."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
from html import unescape
from typing import Any

import pytest

from ppslab.core import paths
from ppslab.course import practice
from ppslab.course.learning import slow
from ppslab.course.site.directives import changes
from ppslab.course.widgets import facts
from rosexplain.base import rules
from rosexplain.remedy import ASTRAY
from tests.course.site.small_site import Site

pytestmark = pytest.mark.long

LISTED: dict[str, dict[str, practice.Exercise]] = {
    "{ppslab-cases}": {**practice.cases()},
    "{ppslab-drills} fasttrack": {**practice.drills("fasttrack-")},
}
DIALOGUE = slow.load(paths.project_root() / slow.FILE)


@pytest.mark.parametrize("directive", LISTED)
def test_exercises_are_listed_and_nothing_of_their_solutions_can_be_read(
    directive: str, site: Site
) -> None:
    known, every = LISTED[directive], facts.of("cases")
    first = next(iter(known))
    site.page("more", f"# More\n\n[One of them]({first})\n")
    page, warnings, _ = site.build(f"# Routers\n\n```{directive}\n```\n")
    [packed] = re.findall(r'id="ppslab-cases-data">([^<]+)</script>', page)
    data: Any = json.loads(gzip.decompress(base64.b64decode(packed)))
    assert data["cases"] == {name: every["cases"][name] for name in known}
    assert all(data[name] == every[name] for name in ("base", "properties"))
    for name, one in known.items():
        [entry] = re.findall(rf'<li id="{name}" data-case="{name}">.*?</li>', page, re.DOTALL)
        words = " ".join(unescape(re.sub("<[^>]+>", " ", entry)).split())
        assert one.title in words
        if isinstance(one, practice.Case):
            assert one.measured in words and f"{one.par} moves" in words
        hidden = [*one.solutions, *one.hints, *(line for line in one.debrief.splitlines() if line)]
        hidden += [each.text for each in getattr(one, "causes", ())]
        assert [text for text in hidden if text.strip() in page] == []
        address, title = data["told"][name]["chapter"]
        assert address == f"book/{one.chapter}.html" and title
        assert len(data["told"][name]["manual"]) == len(one.facts)
    more = (site.out / "book/more.html").read_text(encoding="utf-8")
    assert f'index.html#{first}"' in more, warnings


def test_every_answer_of_the_dialogue_leads_to_a_place(site: Site) -> None:
    for name in (slow.FILE, slow.SIGNS):
        shutil.copy(paths.project_root() / name, site.source / name)
    page, _, _ = site.build("# Slow\n\n```{ppslab-slow}\n```\n")
    places = set(re.findall(r'\bid="(slow-[\w-]+)"', page))
    led = set(re.findall(r'href="#(slow-[\w-]+)"', page))
    assert led <= places
    ends = {answer.ends for question in DIALOGUE.questions for answer in question.answers.values()}
    assert {f"slow-{name}" for name in ends if name} <= led
    assert {f"slow-{name}" for name in (*DIALOGUE.asked, *DIALOGUE.ends)} <= places
    # One question is open.
    folds = re.findall(r'<details class="[^"]*sd-dropdown[^>]*>', page)
    assert [" open" in each for each in folds] == [
        number == 0 for number in range(len(DIALOGUE.questions) + len(DIALOGUE.causes))
    ]
    for code, mbit, link in (
        ("RB750Gr3", ["265.2"], "fast/hex.html"), ("CCR2004-1G-12S+2XS", [], "fast/ccr2004-1g")
    ):  # fmt: skip
        (item,) = re.findall(rf'<li data-code="{re.escape(code)}".*?</li>', page, re.DOTALL)
        assert re.findall(r'data-mbit="([^"]+)"', item) == mbit and f'href="{link}' in item


EXPORT = "packages/rosexplain/examples/two-wans.rsc"


@pytest.mark.parametrize(
    ("files", "astray"),
    [
        (EXPORT, True),
        (f"{EXPORT} book/wans/no-mark.rsc", False),
        (f"{EXPORT} book/wans/rule.rsc book/wans/rule-kept-out.rsc", False),
        (f"{EXPORT} book/wans/ecmp.rsc", False),
    ],
)
def test_a_remedy_ends_the_warning_of_two_providers(site: Site, files: str, astray: bool) -> None:
    page, warnings, _ = site.build(f"# Front\n\n```{{ppslab-explained}} {files}\n```\n")
    assert warnings == ""
    shown = " ".join(page.split())
    assert "LAN to WAN" in shown
    assert any(rules()[name]["decides"].rstrip(".") in shown for name in ASTRAY) == astray


def test_every_changed_line_has_its_version_and_its_source(site: Site) -> None:
    page, warnings, _ = site.build("# Front\n\n```{ppslab-list} changes\n```\n")
    assert warnings == ""
    known = changes.load()
    numbers = [[int(part) for part in each.version.split(".")] for each in known.changes]
    assert numbers == sorted(numbers)
    assert all(each.where in page for each in known.changes)
    # Nothing is listed of a version that the page does not say was read.
    until = [int(part) for part in known.until.version.split(".")]
    newer = {each.version for each, n in zip(known.changes, numbers, strict=True) if n > until}
    assert newer <= {each.version for each in known.begun}
    assert all(each.named in " ".join(page.split()) for each in (known.until, *known.begun))
