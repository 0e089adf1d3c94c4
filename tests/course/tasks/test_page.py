"""Tasks on a chapter's page: each in a fold, hints and solution in others, and tabs."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag

from ppslab.course.tasks import reading
from ppslab.course.tasks.schema import RouterOSSide
from ppslab.model.lab import lab
from tests.support import sphinx_site

pytestmark = pytest.mark.long  # a page of every lab's tasks is built

LABS = [name for name in lab.names() if reading.has(lab.find(name))]

CONFIG = 'extensions.append("sphinx_design")\nmyst_enable_extensions = ["colon_fence"]\n'


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    source = "# Front\n\n" + "".join(f"```{{ppslab-tasks}} {name}\n```\n\n" for name in LABS)
    html, warned = sphinx_site.page(tmp_path_factory.mktemp("page"), source, CONFIG)
    assert not warned
    return html


@pytest.mark.parametrize("name", LABS)
def test_every_task_stands_there_with_all_that_it_says(name: str, page: str) -> None:
    html = BeautifulSoup(page, "html.parser")
    tasks = reading.load(lab.find(name))
    for task in tasks.all:
        [inside] = html.select(f"#task-{name}-{task.name}")
        # What a link leads to is in the fold, so that it opens; its title is what a reader sees.
        fold = inside.find_parent("details")
        assert fold is not None and not fold.has_attr("open")
        assert task.title in words(fold.select_one("summary"))
        folds = len(task.every_hint) + bool(task.check_hints) + 1
        if isinstance(task.routeros, RouterOSSide):
            folds += len(task.hints) + len(task.routeros.hints) + 1
        # Another fold holds all but the complaint; in it are the hints and the solutions.
        assert len(inside.select("details.sd-dropdown")) == 1 + folds, task.name
        assert len(inside.select(".sd-tab-label")) == 2
        for below in inside.select("details"):
            below.extract()
        assert f"ppslab task {name} start {task.name}" in words(inside)
    assert f"ppslab task {name} --to TASK" in words(html)


def words(element: Tag | None) -> str:
    """Its text, with an apostrophe as it is typed."""
    return " ".join(element.get_text().split()).replace("\u2019", "'") if element else ""


def test_a_lab_without_tasks_is_a_warning(tmp_path: Path) -> None:
    _, warned = sphinx_site.page(tmp_path, "# Front\n\n```{ppslab-tasks} nowhere\n```\n", CONFIG)
    assert "index.md:3" in warned
    assert "no lab 'nowhere'" in warned
