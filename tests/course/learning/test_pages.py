"""What every page of the book must have for its reader, read from the sources."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import yaml

from ppslab.core import paths
from ppslab.core.errors import FileError
from ppslab.course.learning import chapters, glossary, quiz
from ppslab.course.site.directives.frame import head
from ppslab.course.site.directives.learning import items
from ppslab.model.lab import lab, topology
from tests.support import sphinx_site
from tests.system.labs.checkouts import with_new_lab

ROOT = paths.project_root()
BOOK = ROOT / "book"
WITHOUT_GOALS = {
    "index", "claims", "questions", "progress", "certificate", "glossary", "commands", "manual",
    "explain", "fast", "paste", "slow", "cases", "routeros", "live-router",
}  # fmt: skip
"""The front page, and pages that answer a question of the reader's own or are a tool."""


@cache
def _sources() -> dict[str, str]:
    """The pages of the table of contents below book/, by name."""
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    named = re.findall(r"(?:file|root): book/(\S+)", toc)
    return {name: (BOOK / f"{name}.md").read_text(encoding="utf-8") for name in named}


def _pages() -> list[str]:
    """The pages that promise something; a chapter's first page does it for all five."""
    return [name for name in _whole() if name not in WITHOUT_GOALS]


@cache
def _whole() -> dict[str, str]:
    """The pages by name, and a chapter's pages as one, in the order of the table of contents."""
    made: dict[str, str] = {}
    for name, text in _sources().items():
        folder, _, page = name.rpartition("/")
        first = f"{folder}/index" if folder and page in chapters.PAGES else name
        made[first] = f"{made[first]}\n{text}" if first in made else text
    return made


def test_a_page_has_its_goals_and_what_to_take_away() -> None:
    for name in _pages():
        text = _whole()[name]
        goals = re.search(r"^:::\{ppslab-goals\}\n(.*?)^:::$", text, re.MULTILINE | re.DOTALL)
        assert goals and re.search(r"^- \w", goals[1], re.MULTILINE), f"{name}: no goals"
        keys = re.search(r"^:::\{ppslab-keys\}\n(- .*?)^:::$", text, re.MULTILINE | re.DOTALL)
        assert keys, f"{name}: no key points"
        if re.search(r"^## Exercise|\} Exercise", text, re.MULTILINE):
            assert re.search(r"^:exercises: \d+$", text, re.MULTILINE), f"{name}: no minutes"


def test_what_is_to_be_read_before_comes_before() -> None:
    order = list(_sources())
    labels = {
        label: page
        for page, text in _sources().items()
        for label in re.findall(r"^\(([\w-]+)\)=$", text.split("\n# ")[0], re.MULTILINE)
    }
    for name in _pages():
        after = re.search(r"^:after: (.*)$", _sources()[name], re.MULTILINE)
        for label in after[1].split() if after else ():
            assert order.index(labels[label]) < order.index(name), name


def test_every_quiz_is_asked_once_and_every_guess_meets_what_came_out() -> None:
    text = "\n".join(_sources().values())
    asked = re.findall(r"^```\{ppslab-quiz\} ([\w-]+)$", text, re.MULTILINE)
    assert Counter(asked) == Counter(quiz.names())
    guessed, told = (
        Counter(re.findall(rf"\{{ppslab-{kind}\}} ([\w-]+ [\w-]+)", text))
        for kind in ("guess", "guessed")
    )
    assert guessed == told and set(guessed.values()) == {1}
    named = Counter(
        (items.chapter_of(f"book/{page}"), question)
        for page, text in _sources().items()
        for name in re.findall(r"\{ppslab-quiz\} ([\w-]+)", text)
        for question in quiz.find(name).questions
    )
    assert [each for each, count in named.items() if count > 1] == []


def test_costs_are_guessed_before_they_are_shown() -> None:
    for name, text in _whole().items():
        for each in re.findall(r"\{ppslab-predict\} ([\w-]+)", text):
            guess, beside = f"{{ppslab-predict}} {each}\n", f"{{ppslab-table}} guesses {each}\n"
            places = [
                text.find(found) for found in (guess, f"{{ppslab-table}} costs {each}\n", beside)
            ]
            assert -1 < places[0] < places[1] < places[2], name


def test_terms_lead_to_pages_that_are_there() -> None:
    labels = set(re.findall(r"^\(([\w-]+)\)=$", "\n".join(_sources().values()), re.MULTILINE))
    assert {each.page for each in glossary.load() if each.page} <= labels


def test_the_table_of_contents_has_every_page_and_at_most_ten_entries_a_group() -> None:
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    named = {Path(name) for name in re.findall(r"book/[\w/-]+", yaml.safe_dump(toc))}
    assert {path.relative_to(ROOT).with_suffix("") for path in BOOK.rglob("*.md")} == named
    for part in toc["parts"]:
        assert part["caption"]
        assert len(part["chapters"]) <= 10, "put a chapter below another"
        assert all(each.get("title") for each in part["chapters"])
    shown = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["html"]
    assert shown["home_page_in_navbar"] is False, "it would be one entry more; the logo leads home"


def test_a_chapter_below_another_has_the_row_of_its_own_pages() -> None:
    env = SimpleNamespace(
        toctree_includes={
            "book/eoip/index": ["book/eoip/why", "notebooks/eoip", "book/pppoe/index"],
            "book/pppoe/index": ["book/pppoe/why", "notebooks/pppoe"],
        }
    )
    for name in ("eoip", "pppoe"):
        row = [f"book/{name}/index", f"book/{name}/why", f"notebooks/{name}"]
        for page in row:
            assert [each for each, _ in head.pages_of(cast("Any", env), page)] == row


def test_every_chapter_but_measuring_has_the_five_pages_in_their_order() -> None:
    """Measuring has a page for each question of its own; EoIP has one more after its first."""
    five, begun = list(chapters.PAGES), dict[str, list[str]]()
    for name in _sources():
        folder, _, page = name.rpartition("/")
        if page in five:
            begun.setdefault(folder, []).append(page)
    worked = {name: pages for name, pages in begun.items() if len(pages) > 1}
    assert worked == dict.fromkeys((*lab.names(), "wans"), five)


# --- terms ----------------------------------------------------------------------------------------


TERM = "  - {term: fast path, also: [FastPath], means: A way around the stations of the stack.}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TERM + TERM, "'fast path' stands for fast path already"),
        (TERM + TERM.replace("fast path", "quick way"), "'FastPath' stands for fast path"),
        (TERM.replace("means", "mean"), "unknown key"),
        ("  - {term: fast path, means: short}\n", "means"),
        ("  []\n", "terms"),
    ],
)
def test_a_slip_is_named(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "glossary.yml"
    file.write_text(f"terms:\n{text}")
    with pytest.raises(FileError, match=said) as caught:
        glossary.load(file)
    assert caught.value.line


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("The fast path is open.", ["fast path"]),
        ("Fast path first.", ["Fast path"]),
        ("FastPath and fastpath", ["FastPath"]),
        ("a bonded pair, /interface/bonding, and a bond.", ["bond"]),
        ("allow-fast-path=yes", []),
        ("half-fastpath is in by the fast path", ["half-fastpath", "fast path"]),
        ("MTU, mtu=1500 and an mtu", ["MTU"]),
        ("trials.yml has trials.", ["trials"]),
    ],
)
def test_words_are_found_whole(sentence: str, found: list[str]) -> None:
    assert glossary.pattern(glossary.load()).findall(sentence) == found


# --- lists of labs --------------------------------------------------------------------------------


CONFIG = """\
extensions = ["myst_nb", "sphinx_design", "ppslab.course.site.directives"]
# Sphinx adds what extensions bring to its own default, which other tests' sites share.
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb"}
html_theme = "basic"
nb_execution_mode = "off"
master_doc = "book/index"
myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist"]
"""
LISTS = """---
orphan: true
---
# Labs

```{ppslab-list} labs
```

## Wires

```{ppslab-list} topologies
```
"""


def built(folder: Path) -> str:
    """A page that lists the labs; its chapters are titles only."""
    source, out = folder / "source", folder / "out"
    (source / "book").mkdir(parents=True)
    (source / "conf.py").write_text(CONFIG)
    (source / "book/index.md").write_text("# Front\n")
    (source / "book/lists.md").write_text(LISTS)
    for page in [f"{name}/index" for name in lab.names()] + ["eoip/overhead"]:
        path = source / "book" / f"{page}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text("---\norphan: true\n---\n# A chapter\n")
    assert sphinx_site.build(source, out) == ""
    return (out / "book/lists.html").read_text(encoding="utf-8")


@pytest.mark.long
def test_every_lab_and_every_topology_is_shown_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = with_new_lab(tmp_path / "checkout", monkeypatch)
    page = built(tmp_path / "site")
    listed = re.findall(r'<li><p><a [^>]*href="([\w-]+)/index.html"', page)
    assert listed == lab.in_order()
    assert "planted" in listed and "(a draft)" in page
    heads = re.findall(r'<h3>([^<]*)<a class="headerlink"', page)
    assert heads == [lab.find(name).title for name in listed]
    shown = re.findall(r"<strong>The wiring in topologies/([\w-]+)\.clab\.yml</strong>", page)
    names = [
        path.name.removesuffix(topology.SUFFIX)
        for path in (checkout / "topologies").glob(f"*{topology.SUFFIX}")
    ]
    assert sorted(shown) == sorted(set(names) - {"back-to-back"})


def test_labs_are_in_the_order_of_their_chapters() -> None:
    order, toc = lab.in_order(), (ROOT / "_toc.yml").read_text(encoding="utf-8")
    assert order == sorted(lab.names(), key=lambda name: toc.index(f"book/{name}/index"))
