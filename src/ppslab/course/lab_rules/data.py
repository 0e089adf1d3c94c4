"""Rules on a lab's own data: published numbers, claims, conditions, files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from ppslab.core import documents, paths
from ppslab.core.errors import PpslabError
from ppslab.course.lab_rules.findings import FAULT, Finding
from ppslab.judge import claims
from ppslab.model.lab import lab as labs
from ppslab.model.lab import published
from ppslab.model.lab.lab import Lab

SHORTEST = 10
"""Characters of a sentence that says what would be needed."""
SHOWN_BY = ("book", "notebooks", "tests", "topologies")
"""Folders whose files may show a file of the lab, or read it."""
TEXT = (".md", ".ipynb", ".py", ".yml", ".rsc")


def every_published_number_is_claimed(lab: Lab) -> Iterator[Finding]:
    """A claim judges the number, or its row says what that would need."""
    path = lab.folder / "published.csv"
    claimed = {row for claim in claims.load(lab) for row in claim.published}
    lines = {row["id"]: row.line for row in documents.read_csv(path, published.COLUMNS)}
    for name, number in published.load(lab).items():
        if name not in claimed and len(number.needs) <= SHORTEST:
            message = f"no claim of claims.yml names row {name!r}: say what it `needs`"
            yield Finding(FAULT, path, lines[name], message)
        if name in claimed and number.needs:
            message = f"a claim judges row {name!r}: its `needs` says that nothing can"
            yield Finding(FAULT, path, lines[name], message)


def every_claim_has_its_source(lab: Lab) -> Iterator[Finding]:
    """Who says it and where, as a sentence; or what it would need."""
    document = documents.load_yaml(lab.folder / "claims.yml")
    for index, claim in enumerate(claims.load(lab)):
        for key in ("source", "where"):
            if not getattr(claim, key):
                line = document.line("claims", index)
                yield Finding(FAULT, document.path, line, f"claim {claim.id}: no {key}")
        if claim.source and not _has_title(lab, claim.source):
            line = document.line("claims", index, "source")
            message = f"no title of {claim.source!r}: `documents` has the titles of sources"
            yield Finding(FAULT, document.path, line, f"claim {claim.id}: {message}")
        if not claim.statement.endswith("."):
            line = document.line("claims", index, "statement")
            yield Finding(FAULT, document.path, line, f"claim {claim.id}: no sentence with a dot")
        needs = claim.judge.not_testable
        if needs and len(needs.needs) <= SHORTEST:
            line = document.line("claims", index, "judge")
            message = f"claim {claim.id}: say in `needs` what would show it"
            yield Finding(FAULT, document.path, line, message)


def _has_title(lab: Lab, source: str) -> bool:
    """A lab may judge an article whose numbers stand with another one."""
    if source in claims.titles(lab):
        return True
    for other in labs.tried().readable:
        with suppress(PpslabError):  # a fault of the other lab's files
            if source in claims.titles(other):
                return True
    return False


def every_condition_is_told_and_on_routeros(lab: Lab) -> Iterator[Finding]:
    """Title and description for the page, and what RouterOS would be told."""
    document = documents.load_yaml(lab.folder / "lab.yml")
    for index, condition in enumerate(lab.spec.conditions):
        lacks = [key for key in ("title", "description", "routeros") if not getattr(condition, key)]
        if lacks:
            line = document.line("conditions", index)
            message = f"condition {condition.name}: no {' and no '.join(lacks)}"
            yield Finding(FAULT, document.path, line, message)


def every_file_is_used(lab: Lab) -> Iterator[Finding]:
    """A configuration that is in no condition is shown by a page or read by a test."""
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
    # Here: it reads RouterOS's menus.
    from ppslab.testbed.routers.routeros.counters import FAST_PATHS  # noqa: PLC0415

    document = documents.load_yaml(lab.folder / "claims.yml")
    known = {counter for names in FAST_PATHS.values() for counter in names}
    for index, claim in enumerate(claims.load(lab)):
        if claim.on_routeros is None:
            continue
        share, said = claim.on_routeros.counter_share, ""
        if share is None:
            said = "only a counter_share holds with every licence"
        elif share.counter not in known:
            said = f"RouterOS has no counter {share.counter!r}: {', '.join(sorted(known))}"
        if said:
            line = document.line("claims", index, "on_routeros")
            yield Finding(FAULT, document.path, line, f"claim {claim.id}: on_routeros: {said}")
