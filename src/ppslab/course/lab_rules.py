"""Everything that a lab of the checkout must hold; `ppslab validate` says it, and tests ask here.

Three kinds of finding: a *fault* is always wrong; what is *to write* is wrong too, but for a lab
that says `draft: true`; *advice* is never wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Literal

from ppslab.core import documents, paths
from ppslab.core.documents import Document
from ppslab.core.errors import PpslabError
from ppslab.course import practice
from ppslab.course.learning import quiz
from ppslab.course.tasks import reading
from ppslab.course.tasks.schema import RouterOSSide
from ppslab.judge import claims
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab.model.lab import published, topology
from ppslab.model.lab.lab import Lab
from ppslab.model.results import Record, TcpRecord
from ppslab.testbed.routers.routeros.read_back import FAST_PATHS
from ppslab.testbed.routers.routeros.rsc import lint

FAULT: Literal["fault"] = "fault"
TO_WRITE: Literal["to write"] = "to write"
ADVICE: Literal["advice"] = "advice"
Kind = Literal["fault", "to write", "advice"]


@dataclass(frozen=True)
class Finding:
    """One; `line` is counted from 1, None where the whole file is meant."""

    kind: Kind
    path: Path
    line: int | None
    message: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else f"{self.path}"
        return f"{place}: {self.message}"

    def fails(self, lab: Lab) -> bool:
        """True for a fault of the lab as it stands; a draft may lack what is to be written."""
        return self.kind == FAULT or (self.kind == TO_WRITE and not lab.spec.draft)


def _at(
    document: Document, keys: tuple[str | int, ...], message: str, kind: Kind = FAULT
) -> Finding:
    return Finding(kind, document.path, document.line(*keys), message)


def findings(lab: Lab) -> list[Finding]:
    """List what breaks a rule, faults first; what a draft has yet to write is no fault."""
    broken = [finding for rule in RULES for finding in rule(lab)]
    kinds: tuple[Kind, ...] = (FAULT, TO_WRITE, ADVICE)
    return sorted(broken, key=lambda finding: kinds.index(finding.kind))


# --- data: published numbers, claims, conditions, files ------------------------------------------

SHORTEST = 10
"""Characters of a sentence that says what would be needed."""
SHOWN_BY = ("book", "notebooks", "tests", "topologies")
"""Folders whose files may show a file of the lab, or read it."""
TEXT = (".md", ".ipynb", ".py", ".yml", ".rsc")


def every_published_number_is_claimed(lab: Lab) -> Iterator[Finding]:
    """A claim judges the number, or its row says what that would need."""
    path = lab.folder / "published.csv"
    claimed = {row for claim in claims.load(lab) for row in claim.rows}
    lines = {row["id"]: row.line for row in documents.read_csv(path, published.COLUMNS)}
    for name, number in published.load(lab).items():
        if name not in claimed and len(number.needs) <= SHORTEST:
            message = f"no claim of claims.yml names row {name!r}: say what it `needs`"
            yield Finding(FAULT, path, lines[name], message)
        if name in claimed and number.needs:
            message = f"a claim judges row {name!r}: its `needs` says that nothing can"
            yield Finding(FAULT, path, lines[name], message)


def every_claim_has_its_source(lab: Lab) -> Iterator[Finding]:
    """Each claim names its source and place as a sentence, or what it would need."""
    document = documents.load_yaml(lab.folder / "claims.yml")
    for index, claim in enumerate(claims.load(lab)):
        found: list[tuple[tuple[str, ...], str]] = [
            ((), f"no {key}") for key in ("source", "where") if not getattr(claim, key)
        ]
        if claim.source and not _has_title(lab, claim.source):
            message = f"no title of {claim.source!r}: `documents` has the titles of sources"
            found.append((("source",), message))
        if not claim.statement.endswith("."):
            found.append((("statement",), "no sentence with a dot"))
        needs = claim.judge.not_testable
        if needs and len(needs.needs) <= SHORTEST:
            found.append((("judge",), "say in `needs` what would show it"))
        for keys, message in found:
            yield _at(document, ("claims", index, *keys), f"claim {claim.id}: {message}")


def _has_title(lab: Lab, source: str) -> bool:
    """A lab may judge an article whose numbers stand with another one."""
    for each in (lab, *labs.tried().readable):
        with suppress(PpslabError):  # a fault of the other lab's files
            if source in claims.titles(each):
                return True
    return False


def every_condition_is_told_and_on_routeros(lab: Lab) -> Iterator[Finding]:
    """Title and description for the page, and what RouterOS would be told."""
    document = documents.load_yaml(lab.folder / "lab.yml")
    for index, condition in enumerate(lab.spec.conditions):
        lacks = [key for key in ("title", "description", "routeros") if not getattr(condition, key)]
        if lacks:
            message = f"condition {condition.name}: no {' and no '.join(lacks)}"
            yield _at(document, ("conditions", index), message)


def every_file_is_used(lab: Lab) -> Iterator[Finding]:
    """A file of `routeros` or `linux` that no condition has is named by a page or a test."""
    used = {f for c in lab.conditions.values() for f in (*c.files, *c.routeros)}
    idle = [
        path
        for part in ("routeros", "linux")
        for path in sorted((lab.folder / part).rglob("*"))
        # What an article's tester was told is kept beside what its router was told.
        if path.is_file() and not path.stem.startswith("tester-")
        if str(path.relative_to(lab.folder)) not in used
    ]
    if not idle:
        return
    root = paths.project_root()
    text = "".join(
        documents.read_text(path)
        for folder in (*(root / name for name in SHOWN_BY), lab.folder)
        for path in folder.rglob("*")
        if path.suffix in TEXT and "node_modules" not in path.parts
    )
    for path in idle:
        if path.name not in text:
            yield Finding(FAULT, path, None, "no condition, page or test uses this file")


def every_counter_is_routeros_own(lab: Lab) -> Iterator[Finding]:
    """`on_routeros` judges by counters that RouterOS has: they hold with every licence."""
    document = documents.load_yaml(lab.folder / "claims.yml")
    known = {counter for names in FAST_PATHS.values() for counter in names}
    for index, claim in enumerate(claims.load(lab)):
        if claim.on_routeros is None:
            continue
        share = claim.on_routeros.counter_share
        if share and share.counter in known:
            continue
        fault = "only a counter_share holds with every licence"
        if share:
            fault = f"RouterOS has no counter {share.counter!r}: {', '.join(sorted(known))}"
        message = f"claim {claim.id}: on_routeros: {fault}"
        yield _at(document, ("claims", index, "on_routeros"), message)


# --- wires and addresses -------------------------------------------------------------------------

TEST_NETWORKS = [ip_network("198.18.0.0/15"), ip_network("2001:2::/48")]
"""RFC 2544 appendix C.2.2 and RFC 5180 section 8 keep them for benchmarks."""
ANYWHERE = [
    ip_network(text)
    for text in ("0.0.0.0/32", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3",
                 "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",
                 "::/127", "fe80::/10", "ff00::/8")
]  # fmt: skip
"""Of no network: nobody's, every host's, link-local and multicast ones; for examples (RFC 5737)."""

# RFC 2544 section 11.4.1 names the addresses of its filters; a whole-network prefix is a mask.
_ADDRESS = re.compile(
    r"(?<![\w.:-])(\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3,7})(?![\w.:])"
)


def ports_are_there(lab: Lab) -> Iterator[Finding]:
    """The interfaces that lab.yml names are interfaces of the topology's tester and router."""
    spec = lab.spec
    if not spec.flows:
        return
    wiring = topology.find(spec.topology)
    document = documents.load_yaml(lab.folder / "lab.yml")
    nodes = [spec.tester]
    if len(wiring.nodes) == 2:  # else another router may be between
        nodes.append(spec.router)
    for port, interface in spec.ports.items():
        for node in nodes:
            if interface not in wiring.interfaces(node):
                there = ", ".join(sorted(wiring.interfaces(node)))
                message = f"port {port}: {node} has no interface {interface!r}: {there}"
                yield _at(document, ("ports", port), message)


def a_chr_stands_in(lab: Lab) -> Iterator[Finding]:
    """Each topology is there a second time, with CHRs as its routers."""
    spec = lab.spec
    document = documents.load_yaml(lab.folder / "lab.yml")
    names: dict[tuple[str, ...], str] = {("topology",): spec.topology}
    if spec.tcp and spec.tcp.topology:
        names["tcp", "topology"] = spec.tcp.topology
    for keys, name in names.items():
        path = paths.project_root() / "topologies" / f"{name}-chr{topology.SUFFIX}"
        if not path.is_file():
            message = f"topology {name}: no {path.name} with CHRs beside it"
            yield _at(document, keys, message, TO_WRITE)


def addresses_are_for_benchmarks(lab: Lab) -> Iterator[Finding]:
    """Nothing that could belong to anybody: a frame that escapes goes nowhere."""
    files = [lab.folder / "lab.yml", lab.folder / "tasks.yml"]
    files += [paths.project_root() / "topologies" / f"{lab.spec.topology}{topology.SUFFIX}"]
    files += [p for part in ("linux", "routeros") for p in sorted((lab.folder / part).rglob("*"))]
    for path in filter(Path.is_file, files):
        for number, line in enumerate(documents.read_text(path).splitlines(), 1):
            for text in _ADDRESS.findall(line.split("#", 1)[0]):
                try:
                    address = ip_address(text)
                except ValueError:
                    continue  # a MAC address, a time
                if not any(address in network for network in (*TEST_NETWORKS, *ANYWHERE)):
                    message = f"{text} may belong to somebody: use 198.18.0.0/15 or 2001:2::/48"
                    yield Finding(FAULT, path, number, message)


# --- what RouterOS is told: statements of the versions that are promised -------------------------

SWITCH = "switch-only"
"""The folder of what only a router with a switch chip is told."""


def files_are_routeros(lab: Lab) -> Iterator[Finding]:
    """The lab's own `.rsc` files, laid out as all are."""
    for path in sorted(lab.folder.rglob("*.rsc")):
        text = documents.read_text(path)
        for fault in lint.check(str(path), text, hardware=SWITCH in path.parts):
            yield Finding(FAULT, path, fault.line, fault.message)


def tasks_are_routeros(lab: Lab) -> Iterator[Finding]:
    """The statements of RouterOS that solve a task, laid out as all are."""
    if not reading.has(lab):
        return
    tasks = reading.load(lab)
    document = documents.load_yaml(lab.folder / reading.FILE)
    hardware = of_switch(tasks)
    for index, task in enumerate(tasks.all):
        side = task.routeros
        if not isinstance(side, RouterOSSide):
            continue
        for node, text in side.solve.items():
            place = ("tasks", index, "routeros", "solve", *((node,) if node else ()))
            # Laid out as a file that ends, which a block of YAML may not.
            for fault in lint.check(task.name, text.rstrip() + "\n", hardware=hardware):
                line = document.line(*place) + fault.line
                yield Finding(FAULT, document.path, line, f"task {task.name}: {fault.message}")


def of_switch(tasks: reading.Tasks) -> bool:
    """True if the tasks begin on a router with a switch chip."""
    named = (tasks.lab.conditions[name] for _, name in tasks.spec.conditions())
    return any(SWITCH in file for condition in named for file in condition.routeros)


# --- how it is taught: tasks, chapter, notebook, quiz, a recorded run ----------------------------

MARK = "TO WRITE"
"""Mark that `ppslab new-lab` leaves where a human must write."""
ENOUGH = 6
"""Tasks of a lab.  One that is proven teaches more than six that only fill; so it is advice."""


DRILLS = 4
"""Drills of a chapter, at least."""


def chapter_of(lab: Lab) -> Path:
    """The lab's first page."""
    return paths.project_root() / "book" / lab.name / "index.md"


def pages_of(lab: Lab) -> list[Path]:
    """The pages of the lab's chapter that are written, the first one first."""
    first = chapter_of(lab)
    others = sorted(page for page in first.parent.glob("*.md") if page != first)
    return [page for page in (first, *others) if page.is_file()]


def notebook_of(lab: Lab) -> Path:
    """The lab's notebook."""
    return paths.project_root() / "notebooks" / f"{lab.name}.ipynb"


def tasks_are_there(lab: Lab) -> Iterator[Finding]:
    """One task at least, since a chapter without is read and not done."""
    path = lab.folder / reading.FILE
    if not reading.has(lab):
        yield Finding(TO_WRITE, path, None, "no tasks: what does a learner do at the router?")
        return
    count = len(reading.load(lab).all)
    if count < ENOUGH:
        message = f"{count} of about {ENOUGH} tasks: let each condition be done by hand once"
        yield Finding(ADVICE, path, None, message)


def drills_are_there(lab: Lab) -> Iterator[Finding]:
    """A few drills, for who wants to practise more than the tasks."""
    count = len([name for name in practice.names("drills") if name.startswith(f"{lab.name}-")])
    if count < DRILLS:
        message = f"{count} of {DRILLS} drills: src/ppslab/course/practice/drills/{lab.name}-*.yml"
        yield Finding(TO_WRITE, lab.folder, None, message)


def pages_are_listed(lab: Lab) -> Iterator[Finding]:
    """A chapter and a notebook, both in the table of contents."""
    toc = paths.project_root() / "_toc.yml"
    listed = set(re.findall(r"file: (\S+)", documents.read_text(toc)))
    for path in (chapter_of(lab), *pages_of(lab)[1:], notebook_of(lab)):
        name = path.relative_to(paths.project_root()).with_suffix("")
        if not path.is_file():
            yield Finding(FAULT, path, None, f"lab {lab.name} has no such page")
        elif str(name) not in listed:
            yield Finding(FAULT, toc, None, f"no entry `file: {name}`")


def the_chapter_teaches(lab: Lab) -> Iterator[Finding]:
    """The chapter has goals, a guess before the result, a quiz, and key points."""
    path = chapter_of(lab)
    if not path.is_file():
        return
    text = documents.read_text(path)
    whole = "\n".join(documents.read_text(each) for each in pages_of(lab))
    goals = re.search(r"^:::\{ppslab-goals\}\n(.*?)^:::$", text, re.MULTILINE | re.DOTALL)
    guess = "asks for no guess: ppslab-predict or ppslab-guess"
    for lack, where, pattern in (
        ("begins with no :::{ppslab-goals}", text, r"^:::\{ppslab-goals\}$"),
        (guess, whole, r"\{ppslab-(?:predict|guess)\} "),
        (f"has no quiz: ppslab-quiz {lab.name}", whole, rf"\{{ppslab-quiz\}} {lab.name}$"),
        ("ends with no :::{ppslab-keys}", whole, r"^:::\{ppslab-keys\}\n- "),
    ):
        if not re.search(pattern, where, re.MULTILINE):
            yield Finding(FAULT, path, None, f"the chapter {lack}")
    if goals and not re.search(r"^- \w", goals[1], re.MULTILINE):
        line = text[: goals.start()].count("\n") + 1
        yield Finding(FAULT, path, line, "the goals do not say what the reader will know")


def the_quiz_fits(lab: Lab) -> Iterator[Finding]:
    """Questions that stand on sentences of the chapter."""
    try:
        if lab.name not in quiz.names():
            message = f"lab {lab.name} has no quiz: labs/_template/quiz.yml shows one"
            yield Finding(TO_WRITE, quiz.path_of(lab.name), None, message)
            return
        quiz.find(lab.name)
    except PpslabError as error:
        path = getattr(error, "path", quiz.path_of(lab.name))
        yield Finding(
            FAULT, path, getattr(error, "line", None), getattr(error, "message", str(error))
        )


def commands_are_there(lab: Lab) -> Iterator[Finding]:
    """Commands to type at a router of one's own: a file see.rsc, a block or a slide of router.md.

    A class sees them on a slide.
    """
    path = chapter_of(lab).with_name("router.md")
    if not path.is_file() or (lab.folder / "see.rsc").is_file():
        return
    block = r"^```(?:routeros|sh|\{literalinclude\} \S+\n:language: routeros)$|\{ppslab-slide\}"
    if not re.search(block, documents.read_text(path), re.MULTILINE):
        yield Finding(FAULT, path, None, "no block ```routeros of commands to type at a router")


def a_run_is_recorded(lab: Lab) -> Iterator[Finding]:
    """The lab has a recorded run, which its pages show."""
    every = [path for kind in (Record, TcpRecord) for path in results.stored(lab.name, kind)]
    if any(path.parent.name != "local" for path in every):
        return
    # A record is found by the name that `ppslab run` gives it: `--out` may give it another.
    how = f"`ppslab run {lab.name}` measures one"
    if here := next(iter(results.stored(lab.name)), None):
        how = f"`mv results/local/{here.name} results/` keeps the newest"
    yield Finding(TO_WRITE, lab.folder, None, f"no run in results/: {how}")


def nothing_is_left_to_write(lab: Lab) -> Iterator[Finding]:
    """The words that `ppslab new-lab` could not know."""
    files = [p for p in sorted(lab.folder.rglob("*")) if p.suffix in (".yml", ".rsc", ".csv")]
    for path in (*files, quiz.path_of(lab.name), *pages_of(lab), notebook_of(lab)):
        if not path.is_file():
            continue
        for number, line in enumerate(documents.read_text(path).splitlines(), 1):
            if MARK in line:
                words = line.split(MARK, 1)[1].strip(' :"\\n,-.`]}')
                yield Finding(TO_WRITE, path, number, words)


RULES: tuple[Callable[[Lab], Iterator[Finding]], ...] = (
    every_published_number_is_claimed,
    every_claim_has_its_source,
    every_condition_is_told_and_on_routeros,
    every_file_is_used,
    every_counter_is_routeros_own,
    ports_are_there,
    a_chr_stands_in,
    addresses_are_for_benchmarks,
    files_are_routeros,
    tasks_are_routeros,
    tasks_are_there,
    drills_are_there,
    pages_are_listed,
    the_chapter_teaches,
    the_quiz_fits,
    commands_are_there,
    a_run_is_recorded,
    nothing_is_left_to_write,
)
"""Each yields what breaks it."""
