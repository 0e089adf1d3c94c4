"""What a page was made of: labs and records, noted so that a new record makes the page anew."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from ppslab import claims, paths, published, results
from ppslab import lab as labs
from ppslab.claims import Judged
from ppslab.errors import PpslabError
from ppslab.lab import Lab
from ppslab.published import Published
from ppslab.results import Record
from ppslab.results.words import Words

logger = logging.getLogger(__name__)

LAB_FILES = ("lab.yml", "published.csv", "claims.yml")


@dataclass(frozen=True)
class Source:
    """A lab with its published numbers and its newest record, None where there is none."""

    lab: Lab
    record: Record | None

    @property
    def published(self) -> dict[str, Published]:
        """The published numbers by id."""
        return published.load(self.lab)

    @property
    def judged(self) -> list[Judged]:
        """Every claim with its verdict."""
        tcp = results.newest_of(results.TcpRecord, self.lab.name)
        return claims.judge_all(self.lab, self.record, tcp)

    @property
    def rows_of(self) -> dict[str, tuple[str, ...]]:
        """For each claim the rows of published.csv that it stands on."""
        return {claim.id: claim.published for claim in claims.load(self.lab)}

    @property
    def provenance(self) -> str:
        """What made the record's numbers; empty without a record."""
        return self.record.provenance() if self.record else ""


class LabDirective(SphinxDirective):
    """A directive whose first argument is a lab; bad input is one warning with its line."""

    required_arguments = 1
    optional_arguments = 2

    def run(self) -> list[nodes.Node]:
        """Make the nodes; a failure becomes a warning here, which -W makes fatal."""
        try:
            return self.make()
        except PpslabError as error:
            message = f"{self.name}: {error}"
            logger.warning(message, location=self.get_location(), type="ppslab")
            return [nodes.warning("", nodes.paragraph(text=message))]

    @abstractmethod
    def make(self) -> list[nodes.Node]:
        """The nodes of this directive."""

    def source(self, name: str | None = None) -> Source:
        """The lab that the directive names, noted as a part of this page."""
        return find(self.env, name or self.arguments[0])

    def sources(self) -> list[Source]:
        """The lab that the directive names, or all of them for `all`."""
        names = labs.names() if self.arguments[0] == "all" else [self.arguments[0]]
        return [self.source(name) for name in names]

    def raw(self, html: str) -> nodes.Node:
        """HTML as it is."""
        return nodes.raw("", html, format="html")


def find(env: BuildEnvironment, name: str) -> Source:
    """The lab `name` with its newest record, noted as a part of the page that is being read."""
    lab = labs.find(name)
    for file in LAB_FILES:
        env.note_dependency(str(lab.folder / file))
    path = _newest(name)
    _used(env).setdefault(env.docname, {})[name] = str(path or "")
    if path is None:
        return Source(lab, None)
    env.note_dependency(str(path))
    return Source(lab, _load(path, path.stat().st_mtime_ns))


def _newest(name: str) -> Path | None:
    return _newest_of(name, tuple((p, p.stat().st_mtime_ns) for p in results.stored(name)))


@lru_cache(maxsize=32)
def _newest_of(name: str, _files: tuple[tuple[Path, int], ...]) -> Path | None:
    return results.newest_path(name)


@lru_cache(maxsize=32)
def _load(path: Path, _modified: int) -> Record:
    return results.load(path)


def no_record(name: str) -> list[nodes.Node]:
    """What stands where the numbers of a run would stand."""
    text = f"No run of {name} is recorded yet; make book measures, and puts its numbers here."
    return [nodes.note("", nodes.paragraph(text=text))]


def find_kind(env: BuildEnvironment, kind: type[Words], name: str) -> Path | None:
    """The newest record of another kind, noted as a part of the page that is being read."""
    path = results.newest_path_of(kind, name)
    key = f"{results.name_of(kind)} {name}"
    _used(env).setdefault(env.docname, {})[key] = str(path or "")
    if path is not None:
        env.note_dependency(str(path))
    return path


def _newest_by(key: str) -> Path | None:
    """The newest record by what a page noted: a lab, or a kind's schema and a lab."""
    schema, _, name = key.rpartition(" ")
    return results.newest_path_of(results.KINDS[schema], name) if schema else _newest(name)


def _used(env: BuildEnvironment) -> dict[str, dict[str, str]]:
    """For each page the labs that it shows and the record that it showed."""
    used: dict[str, dict[str, str]] = env.__dict__.setdefault("ppslab_used", {})
    return used


def outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Pages whose lab has another newest record now; notebooks, as they read records too."""
    del app, added, changed, removed
    shown = _used(env)
    stale = {
        page
        for page, used in shown.items()
        if any(str(_newest_by(key) or "") != path for key, path in used.items())
    }
    if stale:
        stale |= {page for page in env.found_docs if env.doc2path(page).endswith(".ipynb")}
    return sorted(stale)


def forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """A page that is read anew uses what it will use."""
    del app
    _used(env).pop(docname, None)


def merge(app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
    """What another process read."""
    del app
    theirs = _used(other)
    _used(env).update({name: theirs[name] for name in docnames if name in theirs})


def relative(path: Path) -> str:
    """A file's name as the reader finds it in the checkout."""
    root = paths.project_root()
    return str(path.relative_to(root)) if path.is_relative_to(root) else path.name
