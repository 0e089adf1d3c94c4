"""The manual's files read, strictly: a name that stands twice or nowhere is told with its line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.model.manual.schema import MANUAL, Fact, Subject

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Told:
    """A fact with its name and place: `subject` is its file's, `line` the one it begins on."""

    id: str
    subject: str
    fact: Fact
    file: Path
    line: int
    read: str
    source: str
    """An address, or the title of a work that has none."""

    @property
    def says(self) -> str:
        """What RouterOS does, one sentence."""
        return self.fact.says

    @property
    def cited(self) -> str:
        """The source in words: `L3 Hardware Offloading, MTU (read 2026-10-06)`."""
        short = self.source.removeprefix(MANUAL)
        manual = "MikroTik's manual, " if short != self.source else ""
        since = f", since RouterOS {self.fact.since}" if self.fact.since else ""
        until = f", until RouterOS {self.fact.until}" if self.fact.until else ""
        how = "follows from " if self.fact.basis == "inferred" else ""
        where = f"{how}{manual}{short}, {self.fact.section}"
        return f"{where} (read {self.read}){since}{until}"


@dataclass(frozen=True)
class Manual:
    """Every fact by its id, in the order of the files."""

    facts: Mapping[str, Told]
    subjects: Mapping[str, Subject]

    def fact(self, name: str) -> Told:
        """The fact called `name`; UsageError where there is none."""
        if name not in self.facts:
            near = did_you_mean(name, self.facts) or "; the facts stand in src/ppslab/model/manual/"
            raise UsageError(f"no fact {name!r} of RouterOS{near}")
        return self.facts[name]

    def of(self, subject: str) -> list[Told]:
        """The facts of one file; UsageError where there is none."""
        if subject not in self.subjects:
            near = did_you_mean(subject, self.subjects)
            raise UsageError(f"no subject {subject!r}{near}: {', '.join(self.subjects)}")
        return [told for told in self.facts.values() if told.subject == subject]


def load(folder: Path | None = None) -> Manual:
    """The manual; FileError with the line of what is wrong in a file."""
    folder = folder or FOLDER
    files = tuple(sorted(folder.rglob("*.yml")))
    return _load(tuple((file, file.stat().st_mtime_ns) for file in files))


@lru_cache(maxsize=4)
def _load(files: tuple[tuple[Path, int], ...]) -> Manual:
    facts: dict[str, Told] = {}
    subjects: dict[str, Subject] = {}
    for file, _ in files:
        document = documents.load_yaml(file)
        subject = fitting.validate(document, Subject)
        subjects[file.stem] = subject
        for name, each in subject.facts.items():
            keys = ("facts", name)
            if name in facts:
                there = facts[name]
                message = f"{name} stands in {there.file.name}:{there.line} already"
                raise document.error(keys, message)
            facts[name] = Told(
                name,
                file.stem,
                each,
                file,
                document.line(*keys),
                each.read or subject.read,
                _source(each) or _source(subject),
            )
    return Manual(facts, subjects)


def _source(words: Fact | Subject) -> str:
    return MANUAL + words.page if words.page else words.url or words.work


def fact(name: str) -> Told:
    """The fact called `name`; UsageError where there is none."""
    return load().fact(name)


def says(name: str) -> str:
    return fact(name).says


def known(name: str) -> str:
    """The name, for a pydantic model; ValueError where no fact is called so."""
    try:
        return fact(name).id
    except UsageError as error:
        raise ValueError(str(error)) from None


def oldest(facts: Iterable[Told]) -> str:
    """When the one of them was read that was read longest ago."""
    return min(told.read for told in facts)
