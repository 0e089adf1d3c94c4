"""The lists of labs on pages are made from the labs' own folders."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ppslab.core import paths
from ppslab.model.lab import lab, topology
from tests.support import sphinx_site
from tests.system.labs.checkouts import with_new_lab

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
    order = lab.in_order()
    assert sorted(order) == lab.names()
    assert order[:2] == ["fastpath", "fasttrack"]
    toc = (paths.project_root() / "_toc.yml").read_text(encoding="utf-8")
    places = [toc.index(f"book/{name}/index") for name in order]
    assert places == sorted(places)
