"""What a small site makes of goals, guesses, quizzes, terms and the list of it all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ppslab.course import practice
from ppslab.course.learning import again, glossary, quiz
from ppslab.course.site.directives.learning import chapter
from ppslab.course.tasks import reading
from ppslab.model.lab import lab as labs
from tests.support import sphinx_site

pytestmark = pytest.mark.long

CONFIG = """
extensions = ["myst_parser", "ppslab.course.site.directives", "ppslab_class.site"]
myst_enable_extensions = ["colon_fence"]
root_doc = "book/index"
html_theme = "basic"
exclude_patterns = ["_build"]
"""
FRONT = "# Front\n\n```{toctree}\nfirst\nsecond\nlater\nglossary\nprogress\n```\n"
FIRST = """(first)=
# First

:::{ppslab-goals}
:reading: 1
:exercises: 5

- what connection tracking is
:::

Connection tracking and a flowtable. Connection tracking again, and `FastTrack` in code.

:::{ppslab-guess} first which
:choices: this | "that"

Which of `these`?
:::

:::{ppslab-guessed} first which
It was this.
:::

```{ppslab-quiz} fastpath what-is-left
```

:::{ppslab-keys}
- One point.
:::
"""
SECOND = """# Second

:::{ppslab-goals}
:reading: 1
:after: first
:note: With tea.

- more
:::

::::{ppslab-slide} Where it is busy
:minutes: 3
:ask: Which core?
:wrong: People *add* the cores.
:guess:

Look at `/tool/profile cpu=all`.

```sh
ppslab plan nics server.xml | less
```
::::
"""
LATER = "# Later\n\n```{ppslab-again} fasttrack\n```\n"
PROGRESS = """# Progress

```{ppslab-list} progress
```

```{ppslab-schedule}
:start: 13:30
:title: Afternoon

first
break 20
second
```

```{ppslab-schedule}
:title: Map

first
second
```
"""


class Site:
    """Pages, built into a temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.source, self.out = folder / "source", folder / "out"
        (self.source / "book").mkdir(parents=True)
        (self.source / "conf.py").write_text(CONFIG)
        # The terms lead to chapters, which a small site has as headings of its front page.
        labels = sorted({each.page for each in glossary.load() if each.page})
        self.page("index", FRONT + "".join(f"\n({name})=\n## {name}\n" for name in labels))
        self.page("first", FIRST)
        self.page("second", SECOND)
        self.page("later", LATER)
        self.page("glossary", "# Glossary\n\n```{ppslab-list} glossary\n```\n")
        self.page("progress", PROGRESS)

    def page(self, name: str, text: str) -> None:
        (self.source / "book" / f"{name}.md").write_text(text)

    def build(self) -> str:
        """Build what has changed; the warnings."""
        return sphinx_site.build(self.source, self.out)

    def html(self, name: str) -> str:
        return (self.out / "book" / f"{name}.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    made = Site(tmp_path_factory.mktemp("site"))
    assert made.build() == ""
    yield made


def test_goals_and_key_points(site: Site) -> None:
    page = site.html("second")
    assert "<strong>Reading:</strong> 1 minute. With tea." in page
    assert re.search(r'Before this:</strong> <a [^>]*href="first.html#first"', page)
    assert '<meta name="ppslab-chapter" content="first" data-page="index">' in site.html("first")
    assert "ppslab-chapter" not in site.html("glossary")


def test_a_quiz_has_every_answer_and_every_reason(site: Site) -> None:
    page = site.html("first")
    question = quiz.find("fastpath").question("what-is-left")
    assert page.count('<input type="radio" name="quiz-what-is-left"') == len(question.answers)
    assert f'data-right="{" ".join(question.right)}"' in page
    for letter, answer in question.answers.items():
        said = re.search(rf'<dd data-answer="{letter}"><span>(.*?)</span></dd>', page)
        assert said and said[1].startswith(answer.because[:20])
    assert "quiz.js" in page
    assert "quiz.js" not in site.html("second")


def test_questions_of_earlier_chapters_count_in_their_own_chapter(site: Site) -> None:
    page = site.html("later")
    forms = re.findall(r'data-chapter="([^"]*)" data-question="([^"]*)"', page)
    assert forms == [(each.chapter, each.name) for each in again.of("fasttrack")]
    assert "quiz.js" in page
    # They are no work of the page that asks them again.
    assert [chapter["chapter"] for chapter in _items(site)] == ["first", "second"]


def test_a_guess_is_a_form_with_its_question(site: Site) -> None:
    page = site.html("first")
    assert 'data-lab="first" data-prediction="which"' in page
    assert "<legend><span>Which of <code" in page
    assert 'value="&quot;that&quot;"' in page
    assert 'data-guessed="first/prediction/which"' in page
    # What came out is folded into the form too, so that it is read where the guess was made.
    form = page[page.index('data-prediction="which"') :].partition("</form>")[0]
    assert '<details class="ppslab-reveal">' in form
    said = re.search(r'class="ppslab-yours">.*?</p>\s*<p>(.*?)</p>', page, re.DOTALL)
    assert said and said[1] in form


def test_the_first_use_of_a_term_explains_itself(site: Site) -> None:
    page = site.html("first")
    terms = {each.term: each for each in glossary.load()}
    for name in ("connection tracking", "flowtable"):
        links = re.findall(rf'<a [^>]*href="glossary.html#{terms[name].anchor}"[^>]*>', page)
        assert len(links) == 1
        means = terms[name].means.replace("`", "").replace('"', "&quot;")
        assert f'title="{means}"' in links[0]
    assert f"#{terms['FastTrack'].anchor}" not in page
    shown = site.html("glossary")
    assert all(f'id="{each.anchor}"' in shown for each in terms.values())
    assert "ppslab-term" not in shown


def test_a_slide_is_its_text_and_the_common_mistake_below(site: Site, tmp_path: Path) -> None:
    kept = re.sub(r"^::::(\{.*\n(:.*\n)*)?$", "", SECOND, flags=re.MULTILINE)
    assert kept != SECOND
    bare = Site(tmp_path)
    bare.page("second", kept)
    assert bare.build() == ""
    article = re.compile(r'<div class="body" role="main">.*</div>', re.DOTALL)
    mistake = re.compile(r'<details class="ppslab-mistake">(.*?)</details>\s*', re.DOTALL)
    marked, unmarked = (article.search(one.html("second")) for one in (site, bare))
    assert marked and unmarked
    assert "People <em>add</em> the cores." in mistake.findall(marked[0])[0]
    assert mistake.sub("", marked[0]) == unmarked[0]


def _items(site: Site) -> list[dict[str, object]]:
    script = re.search(r'id="ppslab-items">(.*?)</script>', site.html("progress"))
    assert script
    found: list[dict[str, object]] = json.loads(script[1])
    return found


def test_progress_and_timetable_are_made_of_the_pages(site: Site) -> None:
    first, second = _items(site)
    assert (first["chapter"], first["minutes"], second["minutes"]) == ("first", 6, 1)
    items = first["items"]
    assert isinstance(items, list)
    assert [item[:2] for item in items] == [
        ["read", "index"], ["prediction", "which"], ["quiz", "what-is-left"]
    ]  # fmt: skip
    assert items[1][2] == "Which of these?"
    page = site.html("progress")
    times = re.findall(r"<span>(\d\d:\d\d)</span>", page)
    assert times == ["13:30", "13:36", "13:56", "13:57"]
    rows = [re.sub(r"<[^>]*>|\s", "", row) for row in re.findall(r"<tr.*?</tr>", page, re.DOTALL)]
    assert rows[-3:] == ["First6reading1,exercises5", "Second1reading1", "Inall7"]


def test_a_chapters_minutes_are_those_of_its_tasks_and_drills() -> None:
    """On its first page alone: the others would count them again."""
    drills = sum(drill.minutes for drill in practice.drills("numa-").values())
    tasks = sum(task.minutes for task in reading.load(labs.find("numa")).all)
    assert chapter.practised("book/numa/index") == drills + tasks
    assert chapter.practised("book/wans/index") >= 20
    assert chapter.practised("book/numa/tasks") == chapter.practised("book/fast") == 0


def test_pages_that_show_others_follow_them(tmp_path: Path) -> None:
    made = Site(tmp_path)
    made.page("first", FIRST.partition("```{ppslab-quiz}")[0])
    assert made.build() == ""
    made.page("first", FIRST.replace(":reading: 1", ":reading: 10"))
    assert made.build() == ""
    assert [item["minutes"] for item in _items(made)] == [15, 1]
    assert "13:45" in made.html("progress")


BAD = [
    "```{ppslab-quiz} nothing\n```",
    "```{ppslab-quiz} fastpath nothing\n```",
    "```{ppslab-again} fastrack\n```",
    ":::{ppslab-goals}\n:reading: 5\n:::",
    ":::{ppslab-goals}\n:running: 5\n\n- more\n:::",
    ":::{ppslab-keys}\n:::",
    ":::{ppslab-guess} a B\nWhich?\n:::",
    ":::{ppslab-guess} a b\n:choices: one\n\nWhich?\n:::",
    ":::{ppslab-guessed} a b\n:::",
    "```{ppslab-schedule}\nnowhere\n```",
    "```{ppslab-schedule}\n:start: noon\n\nfirst\n```",
    "```{ppslab-predict} nolab\n```",
    "```{ppslab-predict} queues\n:of: nothing\n```",
]


def test_bad_words_are_one_warning_each(tmp_path: Path) -> None:
    made = Site(tmp_path)
    for place, text in enumerate(BAD):
        made.page(f"bad-{place:02}", f"---\norphan: true\n---\n# Bad\n\n{text}\n")
    pages = [re.findall(r"bad-(\d+)\.md:", line) for line in made.build().splitlines()]
    assert sorted(pages) == [[f"{place:02}"] for place in range(len(BAD))]
