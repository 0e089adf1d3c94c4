"""The page "My router only does X Mbit/s" as it is without a script."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from ppslab.course.learning import slow
from tests.course.site.small_site import Site

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[3]
DIALOGUE = slow.load(ROOT / slow.FILE)


@pytest.fixture
def page(site: Site) -> str:
    for name in (slow.FILE, slow.SIGNS):
        shutil.copy(ROOT / name, site.source / name)
    shown, _, _ = site.build("# Slow\n\n```{ppslab-slow}\n```\n")
    return shown


def test_every_answer_leads_to_a_place(page: str) -> None:
    places = set(re.findall(r'\bid="(slow-[\w-]+)"', page))
    led = set(re.findall(r'href="#(slow-[\w-]+)"', page))
    assert led <= places
    ends = {answer.ends for question in DIALOGUE.questions for answer in question.answers.values()}
    assert {f"slow-{name}" for name in ends if name} <= led
    assert {f"slow-{name}" for name in (*DIALOGUE.asked, *DIALOGUE.ends)} <= places


@pytest.mark.parametrize(
    ("code", "mbit", "page_of"),
    [("RB750Gr3", "265.2", "fast/hex.html"), ("CCR2004-1G-12S+2XS", "", "fast/ccr2004-1g")],
)
def test_a_device_has_its_newest_rate_with_rules_and_a_link(
    page: str, code: str, mbit: str, page_of: str
) -> None:
    (item,) = re.findall(rf'<li data-code="{re.escape(code)}".*?</li>', page, re.DOTALL)
    assert re.findall(r'data-mbit="([^"]+)"', item) == ([mbit] if mbit else [])
    assert f'href="{page_of}' in item


def test_one_question_is_open_and_the_others_are_closed(page: str) -> None:
    folds = re.findall(r'<details class="[^"]*sd-dropdown[^>]*>', page)
    assert len(folds) == len(DIALOGUE.questions) + len(DIALOGUE.causes)
    assert [" open" in each for each in folds] == [True] + [False] * (len(folds) - 1)
