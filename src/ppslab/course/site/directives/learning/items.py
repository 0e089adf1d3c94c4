"""Items of each page for the reader's progress: quizzes, predictions, tasks, widgets.

A chapter is a folder of the book with the notebook of its name, or a page that stands alone.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from ppslab.core import documents, paths
from ppslab.core.errors import PpslabError
from ppslab.course.site.directives.env_store import Noted

Item = tuple[str, str, str]
"""Its kind, its id, and its title."""

ITEMS: Noted[list[Item]] = Noted("items")
GOALS: Noted[int] = Noted("goals")
"""The minutes of each page that has goals."""

_WIDGET = re.compile(r"^\s*[`:]{3,}\{ppslab-widget\}\s+([\w-]+)", re.MULTILINE)
_TASKS = re.compile(r"^\s*[`:]{3,}\{ppslab-tasks\}\s+([\w-]+)", re.MULTILINE)
_PREDICT = re.compile(r"\blab\.predict\(\)")


def note(env: BuildEnvironment, kind: str, name: str, title: str) -> None:
    """Note an item of the page that is being read."""
    note_of(env, env.docname, (kind, name, title))


def chapter_of(docname: str) -> str:
    """The chapter that a page belongs to, empty for none.

    >>> chapter_of("book/eoip/overhead"), chapter_of("notebooks/eoip"), chapter_of("book/method")
    ('eoip', 'eoip', 'method')
    """
    parts = PurePosixPath(docname).parts
    if len(parts) < 2 or parts[0] not in ("book", "notebooks") or parts[1] == "index":
        return ""
    return parts[1]


def page_of(docname: str) -> str:
    """The name of the page in its chapter: `index`, `overhead`, `notebook`."""
    parts = PurePosixPath(docname).parts
    if parts[0] == "notebooks":
        return "notebook"
    return parts[2] if len(parts) > 2 else "index"


def is_work(env: BuildEnvironment, docname: str) -> bool:
    """True for a page to work through.

    It has goals, or its chapter has, or there is something to do on it, or it is a notebook.
    """
    chapter, goals = chapter_of(docname), GOALS.of(env)
    return bool(chapter) and (
        docname.startswith("notebooks/")
        or docname in ITEMS.of(env)
        or docname in goals
        or f"book/{chapter}/index" in goals
    )


def from_source(app: Sphinx, docname: str, source: list[str]) -> None:
    """Note what other parts of the course put on the page: widgets, tasks, guesses of cost."""
    env = app.env
    for name in _WIDGET.findall(source[0]):
        note_of(env, docname, ("widget", name, f"Widget: {name.replace('-', ' ')}"))
    for name in _TASKS.findall(source[0]):
        for each in _tasks(name):
            note_of(env, docname, each)
    if docname.startswith("notebooks/") and _PREDICT.search(source[0]):
        note_of(env, docname, ("prediction", "costs", "Your guesses of cost"))


def note_of(env: BuildEnvironment, docname: str, item: Item) -> None:
    """Note an item of a page by its name."""
    noted = ITEMS.of(env).setdefault(docname, [])
    if item[:2] not in (each[:2] for each in noted):
        noted.append(item)


def _tasks(lab: str) -> list[Item]:
    path = paths.project_root() / "labs" / lab / "tasks.yml"
    try:
        data = documents.load_yaml(path).data
        tasks = data["tasks"] if isinstance(data, dict) else data
        return [("task", each["name"], each.get("title", each["name"])) for each in tasks]
    except (PpslabError, KeyError, TypeError, AttributeError):
        return []  # Whatever is wrong with it, the directive of the tasks says.


def mark(
    app: Sphinx, pagename: str, _templatename: str, context: dict[str, object], doctree: object
) -> None:
    """Tell the page's scripts which chapter they are in."""
    if not isinstance(doctree, nodes.document) or not is_work(app.env, pagename):
        return
    chapter = chapter_of(pagename)
    meta = f'<meta name="ppslab-chapter" content="{chapter}" data-page="{page_of(pagename)}">'
    context["metatags"] = f"{context.get('metatags', '')}{meta}"
