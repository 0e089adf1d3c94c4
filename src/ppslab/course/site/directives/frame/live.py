"""Python in a page: the script that offers it, JupyterLite beside the site, and the way there.

Both need the folder that scripts/site/make_lite.py makes (`make site` does); where it is not, as in
a build by hand, pages say nothing of them.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from ppslab.core import paths
from ppslab.course.site.directives.nodes import raw
from ppslab.course.site.lite import pyodide

PACKED = (".gz", ".whl", ".zip")


@cache
def sent(path: Path) -> int:
    """Bytes over the wire, from a server that compresses what is not compressed yet."""
    content = path.read_bytes()
    return len(content if path.suffix in PACKED else gzip.compress(content))


logger = logging.getLogger(__name__)

SCRIPT = "live.js"
FOLDER = "lite"
NOTEBOOKS = "notebooks/"

PYTHON = "static/pyodide"
PACKAGES = ("ipykernel", "comm", "pyodide-kernel", "ipython", "ppslab")
"""The packages that Python in a page starts with; the lock says what each of them needs."""
BESIDES = ("ipywidgets.js", "worker.mjs")
"""The files that a page loads besides Python."""
IMPORTED = ".mjs"
"""Of the files that a worker imports; only what it fetches can be counted as it comes."""

# Of a notebook's cell, and of the two lines of a widget.
_CELLS = ('class="cell_input', "ppslab-python")


def made(app: Sphinx) -> Path:
    """The folder of JupyterLite before it is put beside the pages."""
    return paths.site_build(Path(app.srcdir)) / FOLDER


def of_notebook(app: Sphinx, tree: nodes.document) -> None:
    """Begin every page of a notebook with the link to it in JupyterLite."""
    page = app.env.docname
    title = next(tree.findall(nodes.title), None)
    if title is None or not page.startswith(NOTEBOOKS) or not made(app).is_dir():
        return
    address = f"{'../' * page.count('/')}{FOLDER}/notebooks/index.html?path={page}.ipynb"
    text = (
        '<p class="ppslab-lite"><a class="reference external" target="_blank" rel="noopener" '
        f'href="{address}">Open the whole notebook in JupyterLite</a>: the same Python in your '
        "browser, with its own files. Before you run cells, wait for the green tick at the top "
        "right: until then, JupyterLab may ignore cells without a message.</p>"
    )
    title.parent.insert(title.parent.index(title) + 1, raw(text))


def load_script(
    app: Sphinx, _pagename: str, _templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Offer Python where a page has cells that it could run."""
    if doctree is None or app.builder.format != "html" or not made(app).is_dir():
        return
    if any(mark in context.get("body", "") for mark in _CELLS):
        static = Path(app.srcdir) / "_build/web/static"
        told = json.dumps(to_load(made(app) / PYTHON, static), sort_keys=True)
        more: dict[str, Any] = {"data-python": told}
        app.add_js_file(SCRIPT, loading_method="defer", **more)


@cache
def to_load(folder: Path, static: Path) -> dict[str, Any]:
    """Facts for web/src/live.js on the Python in `folder`; `static`: of the page's scripts.

    `bytes`: what all of it takes over the wire, where the server compresses texts and programs;
    `files`: how long each file is that Python fetches, unpacked; `made`: tells this Python from any
    other.
    """
    lock = json.loads((folder / pyodide.LOCK).read_text(encoding="utf-8"))["packages"]
    wheels = [str(lock[name]["file_name"]) for name in _needed(lock, PACKAGES)]
    files = [folder / name for name in (*pyodide.CORE, pyodide.LOCK, *wheels)]
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return {
        "packages": list(PACKAGES),
        "bytes": sum(sent(path) for path in (*files, *(static / name for name in BESIDES))),
        "files": {each.name: each.stat().st_size for each in files if each.suffix != IMPORTED},
        "made": digest.hexdigest()[:16],
    }


def _needed(lock: dict[str, Any], names: Iterable[str]) -> Iterator[str]:
    """The packages and all that they need, each once."""
    needed: dict[str, None] = {}
    waiting = list(names)
    while waiting:
        if (name := waiting.pop()) not in needed:
            needed[name] = None
            waiting += lock[name]["depends"]
    yield from needed


def place(app: Sphinx, error: Exception | None) -> None:
    """Put JupyterLite, and the Python of every page, beside the pages."""
    if error or app.builder.format != "html":
        return
    if not made(app).is_dir():
        logger.info("no %s: pages offer no Python (make site makes it)", made(app))
        return
    target = Path(app.outdir) / FOLDER
    shutil.rmtree(target, ignore_errors=True)
    # 40 MB that nobody changes: a second name for each file where the disk allows it.
    shutil.copytree(made(app), target, copy_function=_second_name)


def _second_name(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
