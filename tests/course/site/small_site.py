"""A small site of one front page and one more."""

from __future__ import annotations

from pathlib import Path

from ppslab.model import results
from tests.support import sphinx_site
from tests.support.factory import make_record

CONFIG = """
extensions = ["myst_parser", "ppslab.course.site.directives"]
root_doc = "book/index"
html_theme = "basic"
exclude_patterns = ["_build"]
"""

EVERY = """# Front

```{ppslab-figure} wiring fastpath
```
```{ppslab-figure} costs fastpath
```
```{ppslab-figure} published fastpath
```
```{ppslab-table} costs fastpath
```
```{ppslab-table} order fastpath
```
```{ppslab-table} throughput fastpath
```
```{ppslab-table} beside fastpath
```
```{ppslab-table} bond-rules hundred
```
```{ppslab-table} conditions fastpath
```
```{ppslab-table} verdicts all
```
```{ppslab-list} cannot-show fastpath
```
```{ppslab-table} claims fastpath
```
```{ppslab-table} published fastpath
```
```{ppslab-config} fastpath routing-3-rules routeros
```
```{ppslab-config} fastpath routing-3-rules linux
```
```{ppslab-config} fastpath bridging-fast-path linux
```

A packet takes {ppslab-number}`fastpath cost routing-plain 64`, {ppslab-number}`fastpath ratio
routing-3-rules routing-plain 64`, {ppslab-number}`fastpath published rb1100-fast-path-total-rx`,
{ppslab-number}`fastpath noise 64`.
"""


class Site:
    """A small site of one front page and one more, built in a temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "source"
        self.out = folder / "out"
        self.results = folder / "results"
        (self.source / "book").mkdir(parents=True)
        (self.source / "conf.py").write_text(CONFIG)
        self.page("more", "# More\n")

    def page(self, name: str, text: str) -> None:
        (self.source / "book" / f"{name}.md").write_text(text)

    def record(self, stamp: str = "20260102T030405Z", **words: object) -> results.Record:
        record = make_record(**words)  # type: ignore[arg-type]
        results.save(record, self.results / f"fastpath-{stamp}-namespaces.json")
        return record

    def build(self, front: str = EVERY) -> tuple[str, str, set[str]]:
        """The front page, the warnings, and the pages that were read."""
        text = front + "\n```{toctree}\n:hidden:\nmore\n```\n"
        if not (self.source / "book/index.md").exists():
            self.page("index", text)
        read: set[str] = set()
        warnings = sphinx_site.build(self.source, self.out, read=read.add)
        page = (self.out / "index.html").read_text(encoding="utf-8")
        return page, warnings, read
