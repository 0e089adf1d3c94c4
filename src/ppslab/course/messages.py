"""The texts of the course that can be translated, their origin, and the catalogues.

Four kinds, each shown by the English text where a catalogue has nothing:

- the prose of pages and notebooks: Sphinx's gettext builder, a catalogue for each page;
- data in YAML (facts, quizzes, tasks, the dialogue, the glossary, rules, controls): Babel, by the
  keys that are named in `SOURCES`.  The data stays English, so that every check reads English; a
  directive translates what it shows;
- Python and JavaScript: Babel, what stands in `gettext("...")`;
- what directives write besides (headings, labels, buttons): looked up text by text when the page
  is ready (`course/site/directives/frame/languages.py`).  Its numbers are {0}, {1} in the message.

A catalogue is `locale/LANGUAGE/LC_MESSAGES/NAME.po`; those of pages lie in folders as the pages do.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO, Any

import yaml
from babel.messages import extract
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from pydantic import RootModel

from ppslab.core import documents, paths
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.text.language import gettext

FOLDER = "locale"
LANGUAGES = "locale/languages.yml"
ENGLISH = "en"

Found = tuple[int, str | None, str, list[str]]
"""An extractor's item for Babel: line, function, message, comments."""


@dataclass(frozen=True)
class Source:
    """Files with messages: how they are read, and in which catalogue they stand.

    `catalogue` may hold `{}`: the name of the file's folder; of a quiz the file's own, and of a
    drill its chapter's.
    """

    pattern: str
    catalogue: str
    keys: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        """The name of Babel's extractor, or of ours."""
        if self.keys:
            return "ppslab.course.messages:yaml_messages"
        return "python" if self.pattern.endswith(".py") else "javascript"


RULES = ("decides", "loses", "gains", "helps", "label")
"""The keys of what `explain` says of a rule: packages/rosexplain/rules."""
CARRIED = ("mpls", "mpls-edge", "l2tp-server", "pptp-server", "sstp-server", "ovpn-server")
"""The classes of packets that rules make, with what they are called."""
EXERCISES = ("title", "question", "ordered", "measured", "symptom", "text", "but",
             "says", "pass", "fail", "hints", "debrief")  # fmt: skip
"""The keys of what a case or a drill tells its player; what its router prints is not among them."""
STATIONS = ("title", "short", "works", "fasttrack", "fast", "idle")
"""The keys of what the path of a packet shows: packages/rosexplain/rules/stations.yml."""

SOURCES = (
    Source("_toc.yml", "pages", ("title", "caption")),
    Source("book/pages.yml", "pages", ("title", "description")),
    Source("book/slow.yml", "slow",
           ("title", "asks", "how", "label", "means", "loses", "says", "otherwise", "missing")),
    Source("book/glossary.yml", "glossary", ("means",)),
    Source("book/quizzes/*.yml", "labs-{}", ("ask", "says", "because")),
    Source("book/*/quiz.yml", "labs-{}", ("ask", "says", "because")),
    Source("book/again.yml", "labs-again", ("ask", "says", "because")),
    Source("labs/*/tasks.yml", "labs-{}",
           ("title", "text", "hints", "hint", "says", "pass", "fail", "without")),
    Source("src/ppslab/course/practice/cases/*.yml", "cases", EXERCISES),
    Source("src/ppslab/course/practice/drills/*.yml", "labs-{}", EXERCISES),
    Source("labs/*/lab.yml", "labs-{}", ("title", "summary", "description")),
    Source("labs/*/claims.yml", "labs-{}",
           ("statement", "note", "needs", "because", "by_construction")),
    Source("labs/*/ladders.yml", "labs-{}", ("title", "says")),
    Source("packages/rosexplain/rules/facts/*.yml", "manual", ("says", "because")),
    Source("packages/rosexplain/rules/*.yml", "explain", RULES),
    Source("packages/rosexplain/rules/base.yml", "explain", CARRIED),
    Source("packages/rosexplain/rules/stations.yml", "explain", STATIONS),
    Source("src/ppslab/model/packet_path/*.yml", "explain", ("label",)),
    Source("src/ppslab/course/widgets/forms.yml", "program",
           ("title", "label", "help", "paste", "instead", "unit", "choices")),
    Source("src/ppslab/course/models/*.py", "program"),
    Source("src/ppslab/course/models/cases/*.py", "program"),
    Source("src/ppslab/course/widgets/**/*.py", "program"),
    Source("src/ppslab/course/learning/*.py", "program"),
    Source("src/ppslab/course/site/**/*.py", "program"),
    Source("packages/rosexplain/src/rosexplain/*.py", "explain"),
    Source("src/ppslab/course/widgets/front/*.js", "program"),
    Source("book/assets/*.js", "program"),
    Source("web/src/**/*.js", "program"),
    Source("web/src/**/*.mjs", "program"),
)  # fmt: skip

IN_PAGES = ("program", "explain")
"""The catalogues that scripts and models of a page read in the browser."""

# --- the languages -------------------------------------------------------------------------------


class Language(StrictModel):
    """A language: what it calls itself, and its pages, as names with `*`."""

    name: str
    pages: tuple[str, ...]

    def has(self, page: str) -> bool:
        """True if a page is translated."""
        return any(fnmatch.fnmatchcase(page, each) for each in self.pages)


class _Languages(RootModel[dict[str, Language]]):
    """The whole file: code to language."""


def languages(root: Path | None = None) -> dict[str, Language]:
    """Every language but English, by its code; none in a book without the file."""
    path = (root or paths.project_root()) / LANGUAGES
    return fitting.validate(documents.load_yaml(path), _Languages).root if path.is_file() else {}


def wanted(language: Language, template: str) -> bool:
    """True if a language needs a catalogue: of its own pages and labs, or of what all pages show.

    >>> spanish = Language(name="Español", pages=("book/index", "book/fastpath/*"))
    >>> [wanted(spanish, each) for each in ("book/index", "book/eoip/why", "manual", "labs-eoip")]
    [True, False, True, False]
    """
    lab = template.removeprefix("labs-")
    if lab != template:
        return language.has(f"book/{lab}/index")
    if template in ("slow", "glossary", "cases"):
        return language.has(f"book/{template}")
    return language.has(template) or ("/" not in template and template != "sphinx")


def contents(language: Language, toc: dict[str, Any]) -> dict[str, Any]:
    """The table of contents of a language: its pages, each where the English one has it."""

    def kept(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for row in rows:
            below = {key: kept(row[key]) for key in BELOW if key in row}
            below = {key: each for key, each in below.items() if each}
            if "file" in row and not language.has(row["file"]):
                found += [each for rows in below.values() for each in rows]
            elif "file" in row or below:
                words: dict[str, Any] = {
                    key: gettext(row[key]) for key in ("title", "caption") if key in row
                }
                rest = {key: each for key, each in row.items() if key not in BELOW}
                found.append({**rest, **words, **below})
        return found

    return {key: kept(each) if isinstance(each, list) else each for key, each in toc.items()}


BELOW = ("parts", "chapters", "sections", "subtrees", "entries")
"""Keys of a table of contents that have entries below them."""


def catalogue(
    language: str, names: Collection[str] = (), root: Path | None = None
) -> dict[str, str]:
    """Load the translations of a language besides the prose of pages: text to translation.

    `names`: of these catalogues only.  A translation that is marked as fuzzy is none.
    """
    folder = (root or paths.project_root()) / FOLDER / language / "LC_MESSAGES"
    texts: dict[str, str] = {}
    for path in sorted(folder.glob("*.po")):
        if not names or path.stem in names:
            texts.update(_read(path, path.stat().st_mtime_ns))
    return texts


@lru_cache(maxsize=64)
def _read(path: Path, _modified: int) -> dict[str, str]:
    with path.open("rb") as file:
        return {
            str(each.id): str(each.string)
            for each in read_po(file)
            if each.id and each.string and not each.fuzzy
        }


# --- the messages --------------------------------------------------------------------------------


MARKS: dict[str, Any] = {"gettext": None, "N_": None}
"""The functions whose text is a message."""


def extracted(root: Path) -> dict[str, Catalog]:
    """The messages of YAML, Python and JavaScript, by the name of their catalogue."""
    made: dict[str, Catalog] = {}
    for source in SOURCES:
        for path in sorted(root.glob(source.pattern)):
            name = path.relative_to(root).as_posix()
            catalog = made.setdefault(_catalogue_of(source, name), _new())
            with path.open("rb") as file:
                for line, message, comments, _ in extract.extract(
                    source.method, file, MARKS, options={"keys": " ".join(source.keys)}
                ):
                    catalog.add(message, locations=[(name, line)], auto_comments=comments)
    return made


def _new() -> Catalog:
    return Catalog(project="ppslab", charset="utf-8", fuzzy=False)


def _catalogue_of(source: Source, name: str) -> str:
    path = PurePosixPath(name)
    of_file = {"quizzes": path.stem, "drills": path.stem.partition("-")[0]}
    own = of_file.get(path.parent.name, path.parent.name)
    return source.catalogue.format(own)


def yaml_messages(
    file: IO[bytes], _keywords: object, _tags: object, options: dict[str, Any]
) -> Iterator[Found]:
    """Babel's extractor for YAML: the texts, and lists of texts, under the named keys.

    Of `choices`, a widget's rows, every text: a preset's row begins with its label, others end so.
    What stands below `from` is a quotation of an English page, and is compared with it.
    """
    keys = options["keys"].split()
    root = yaml.compose(file, Loader=yaml.CSafeLoader)

    def walk(node: yaml.Node, named: bool) -> Iterator[Found]:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == "choices" and isinstance(value, yaml.SequenceNode):
                    for row in value.value:
                        yield from walk(row, "choices" in keys)
                elif key.value != "from":
                    yield from walk(value, key.value in keys)
        elif isinstance(node, yaml.SequenceNode):
            for each in node.value:
                yield from walk(each, named and isinstance(each, yaml.ScalarNode))
        elif named and node.tag == "tag:yaml.org,2002:str" and _is_text(node.value):
            yield node.start_mark.line + 1, None, node.value.strip(), []

    if root is not None:
        yield from walk(root, False)


def _is_text(value: object) -> bool:
    """True for a text to translate: it has a word."""
    return isinstance(value, str) and any(
        len(word) > 2 and word.isalpha() for word in value.replace("-", " ").split()
    )
