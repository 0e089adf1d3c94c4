"""The labs and records behind a page, noted so that a new record rebuilds the page."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, TypeVar

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from ppslab.core import paths
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import PpslabError, place_of
from ppslab.core.provenance import Provenance
from ppslab.course.site.directives.env_store import Noted
from ppslab.course.site.directives.frame import languages
from ppslab.course.site.directives.nodes import note, raw
from ppslab.judge import claims, outcome
from ppslab.judge.claims import Judged, Runs
from ppslab.judge.claims import runs as claim_runs
from ppslab.judge.costs import NoDataError
from ppslab.judge.outcome import Outcome
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab.model.lab import published
from ppslab.model.lab.lab import Lab
from ppslab.model.lab.published import Published
from ppslab.model.results import Record

logger = logging.getLogger(__name__)

Stamps = tuple[tuple[Path, int], ...]
"""Files, and when each was changed."""

USED: Noted[dict[str, str]] = Noted("used")
"""For each page the labs that it shows, and the record of each that it showed."""

Other = TypeVar("Other", bound=StrictModel)

LAB_FILES = ("lab.yml", "published.csv", "claims.yml")


@dataclass(frozen=True)
class Source:
    """A lab with its published numbers and its newest record, None where there is none."""

    lab: Lab
    record: Record | None

    @property
    def published(self) -> dict[str, Published]:
        return published.load(self.lab)

    @property
    def outcome(self) -> Outcome:
        """Every claim with its verdict, by the newest runs, or why there are none."""
        return outcome_of(self.lab)

    @property
    def judged(self) -> tuple[Judged, ...]:
        """The verdicts; none where the lab could not be judged, which its page says."""
        return self.outcome.judged

    @property
    def runs(self) -> Runs:
        """The runs that judge."""
        return self.outcome.runs

    @property
    def searched(self) -> Record | None:
        """The newest run that searched the throughput, which a counted one does not."""
        runs = (self.record, *self.runs.of_measure("timed"))
        return next((run for run in runs if run and run.searches), self.record)

    @property
    def rows_of(self) -> dict[str, tuple[str, ...]]:
        """For each claim the rows of published.csv that it rests on."""
        return {claim.id: claim.rows for claim in claims.load(self.lab)}

    @property
    def newest(self) -> Record:
        """The newest record; NotRecordedError without one."""
        if self.record is None:
            raise NotRecordedError.of_run(self.lab.name)
        return self.record

    @property
    def provenance(self) -> Provenance | None:
        """The record's provenance; None without a record."""
        return self.record.provenance() if self.record else None


class NotRecordedError(PpslabError):
    """No such run is recorded; a page shows it as a note in the place of numbers."""

    @classmethod
    def of_run(cls, lab: str) -> NotRecordedError:
        """In place of a run's numbers."""
        return cls(
            f"No run of {lab} is recorded yet; make book measures, and puts its numbers here."
        )

    @classmethod
    def of_command(cls, name: str, command: str) -> NotRecordedError:
        """In place of another record's numbers; `command` makes one."""
        return cls(f"No such run of {name} is recorded yet: ppslab {command} makes one.")


class LabDirective(SphinxDirective):
    """A directive whose first argument is a lab; bad input is one warning with its line."""

    def run(self) -> list[nodes.Node]:
        """Make the nodes; a failure becomes a warning here, with which the build ends as failed.

        Any failure: one broken record must not stop the rest of the site.
        """
        try:
            return _made(self.make())
        except NotRecordedError as error:
            return _made([note(str(error))])
        except PpslabError as error:
            message = f"{self.name}: {error}"
        except Exception as error:  # the page and the build's end say it
            message = f"{self.name} {' '.join(self.arguments)}: {place_of(error)}"
        logger.warning(message, location=self.get_location(), type="ppslab")
        return [nodes.warning("", nodes.paragraph(text=message))]

    @abstractmethod
    def make(self) -> list[nodes.Node]:
        """The nodes of this directive."""

    def source(self, lab: str = "") -> Source:
        """The lab, or that which the directive names, noted as a part of this page."""
        return find(self.env, lab or self.arguments[0])

    def sources(self, lab: str) -> list[Source]:
        """The lab; for `all` every lab of which no file is wrong."""
        return self.every() if lab == "all" else [self.source(lab)]

    def every(self) -> list[Source]:
        """Every lab of which no file is wrong; the page is of the others too, and says so."""
        readable, unreadable = labs.tried()
        for name in unreadable:
            _shown(self.env, name)
        return [_noted(self.env, each) for each in readable]

    def newest(self, kind: type[Other], name: str, command: str) -> Other:
        """The newest record of another kind; NotRecordedError names the command that makes one."""
        path = find_kind(self.env, kind, name)
        if path is None:
            raise NotRecordedError.of_command(name, command)
        return results.load_as(path, kind)

    def markdown(self, lines: Iterable[str], *, sections: bool = False) -> list[nodes.Node]:
        """Markdown as the page's own; `sections`: it may have headings."""
        frame = nodes.Element()
        source, line = self.get_source_info()
        text = StringList(list(lines), source)
        self.state.nested_parse(text, line, frame, match_titles=sections)
        # No prose of the page: what is not English in it has been translated before.
        for part in frame.findall(nodes.TextElement):
            # What a directive inside made has no source, and is translated when the page is ready.
            if part.source and not isinstance(part, nodes.Inline):
                part["said"], part["translatable"] = True, False
        return frame.children

    def inline(self, text: str, *, control: bool = False) -> nodes.inline:
        """One line of Markdown, of YAML or of the page, in the site's language.

        `control`: it names what a reader clicks on, so nothing in it leads away.
        """
        parts, messages = self.parse_inline(languages.said(self.env, text))
        return nodes.inline("", "", *parts, *messages, said=True, control=control)

    def raw(self, html: str) -> nodes.raw:
        return raw(html)


def _made(shown: list[nodes.Node]) -> list[nodes.Node]:
    """Nodes whose texts, unless they come from the page, are no prose of it (frame/languages.py).

    Around them Sphinx gives some a source, and a number of a record would stand in a message.
    """
    for node in shown:
        for part in node.findall(nodes.TextElement):
            if not part.source and not isinstance(part, nodes.Inline):
                part["translatable"] = False
    return shown


class NumberRole(SphinxRole):
    """A role that shows one number; bad words are one error with their line and what there is.

    The provenance of the number is the text that a pointer brings up.
    """

    forms: ClassVar[str]
    """The forms that the role takes, for its error message."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Make the number; a failure becomes an error here, which -W makes fatal."""
        try:
            text, *interval, source = self.number(self.text.split())
        except (PpslabError, NoDataError, ValueError, KeyError) as error:
            return self._failed(f"{error} ({self.forms})")
        except Exception as error:  # the page and the build's end say it
            return self._failed(place_of(error))
        number = nodes.abbreviation(text, text, classes=["ppslab-number"])
        number["interval"], number["source_of"] = "".join(interval), source
        number["explanation"] = "; ".join([*interval, source])
        return [number], []

    def _failed(self, why: str) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        text = f"{self.name}: {self.text!r}: {why}"
        message = self.inliner.reporter.error(text, line=self.lineno)
        return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]

    @abstractmethod
    def number(self, words: list[str]) -> tuple[str, ...]:
        """The number as it is shown, its interval if it has one, and its source in words."""


def find(env: BuildEnvironment, name: str) -> Source:
    """The lab `name` with its newest record, noted as a part of the page that is being read."""
    return _noted(env, labs.find(name))


def _noted(env: BuildEnvironment, lab: Lab) -> Source:
    for each in _files(lab):
        env.note_dependency(str(each))
    path = _shown(env, lab.name)
    for each in (*claim_runs.files(lab.name), *([path] if path else [])):
        if each.exists():
            env.note_dependency(str(each))
    return Source(lab, _load(path, path.stat().st_mtime_ns) if path else None)


def _shown(env: BuildEnvironment, name: str) -> Path | None:
    """Note the lab as one of the page that is being read; its newest record."""
    path = _newest(name)
    USED.of(env).setdefault(env.docname, {})[name] = str(path or "")
    return path


def outcome_of(lab: Lab) -> Outcome:
    """The outcome of judging the lab by its newest runs, cached until one of its files changes."""
    return _outcome(lab.name, _stamps(claim_runs.files(lab.name)), _stamps(_files(lab)))


@lru_cache(maxsize=32)
def _outcome(name: str, _records: Stamps, _of_lab: Stamps) -> Outcome:
    return outcome.of(labs.find(name))


def _files(lab: Lab) -> list[Path]:
    return [lab.folder / file for file in LAB_FILES]


def _stamps(files: Iterable[Path]) -> Stamps:
    return tuple((each, each.stat().st_mtime_ns) for each in files if each.exists())


def _newest(name: str) -> Path | None:
    return _newest_of(name, _stamps(results.stored(name)))


@lru_cache(maxsize=32)
def _newest_of(name: str, _files: Stamps) -> Path | None:
    return results.newest_path(name)


@lru_cache(maxsize=32)
def _load(path: Path, _modified: int) -> Record:
    return results.load(path)


def find_kind(env: BuildEnvironment, kind: type[StrictModel], name: str) -> Path | None:
    """The newest record of another kind, noted as a part of the page that is being read."""
    path = results.newest_path_of(kind, name)
    key = f"{results.name_of(kind)} {name}"
    USED.of(env).setdefault(env.docname, {})[key] = str(path or "")
    if path is not None:
        env.note_dependency(str(path))
    return path


def _newest_by(key: str) -> Path | None:
    """The newest record by what a page noted: a lab, or a kind's schema and a lab."""
    schema, _, name = key.rpartition(" ")
    return results.newest_path_of(results.KINDS[schema], name) if schema else _newest(name)


def labs_of(env: BuildEnvironment, docname: str) -> set[str]:
    """The labs, and testers, whose records a page shows."""
    return {key.rpartition(" ")[2] for key in USED.of(env).get(docname, {})}


def outdated(
    _app: Sphinx, env: BuildEnvironment, _added: set[str], _changed: set[str], _removed: set[str]
) -> list[str]:
    """Pages whose lab has another newest record now; notebooks, as they read records too."""
    shown = USED.of(env)
    stale = {
        page
        for page, used in shown.items()
        if any(str(_newest_by(key) or "") != path for key, path in used.items())
    }
    if stale:
        stale |= {page for page in env.found_docs if env.doc2path(page).endswith(".ipynb")}
    return sorted(stale)


def relative(path: Path) -> str:
    """A file's name as the reader finds it in the checkout."""
    root = paths.project_root()
    return str(path.relative_to(root)) if path.is_relative_to(root) else path.name
