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
    shutil.copy(ROOT / slow.FILE, site.source / slow.FILE)
    shown, _, _ = site.build("# Slow\n\n```{ppslab-slow}\n```\n")
    return shown


def test_every_question_has_its_number_and_every_answer_leads_to_a_place(page: str) -> None:
    for number, question in enumerate(DIALOGUE.questions, 1):
        begin = page.index(f'id="slow-{question.id}"')
        heading = page.rindex("<summary", 0, begin)
        assert re.search(rf"<h3>{number}\. ", page[heading:begin]), question.id
    places = set(re.findall(r'\bid="(slow-[\w-]+)"', page))
    led = set(re.findall(r'href="#(slow-[\w-]+)"', page))
    led |= set(re.findall(r'data-to-\w+="([\w-]+)"', page))
    assert led <= places
    assert {f"slow-{name}" for name in (*DIALOGUE.asked, *DIALOGUE.ends)} <= led


def test_one_question_is_open_and_the_others_are_closed(page: str) -> None:
    folds = re.findall(r'<details class="[^"]*sd-dropdown[^>]*>', page)
    assert len(folds) == len(DIALOGUE.questions) + len(DIALOGUE.causes)
    assert [" open" in each for each in folds] == [True] + [False] * (len(folds) - 1)
