"""The claims of a lab: claims.yml, compared with the lab and its published rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ppslab.analysis.claims import rows, vendor
from ppslab.analysis.claims.schema import Claim, ClaimsSpec, Judge, conditions
from ppslab.base import documents
from ppslab.base.documents import Document, fitting
from ppslab.base.errors import did_you_mean
from ppslab.lab import published
from ppslab.lab.lab import Lab
from ppslab.lab.published import Published
from ppslab.theory.manual import reading as manual


def load(lab: Lab) -> list[Claim]:
    """The claims of a lab; FileError with the line where one is wrong."""
    document, spec = _read(lab)
    claims = spec.claims
    numbers = published.load(lab)
    seen: set[str] = set()
    for index, claim in enumerate(claims):
        for keys, message in _faults(lab, claim, numbers, seen):
            raise document.error(("claims", index, *keys), f"claim {claim.id}: {message}")
        seen.add(claim.id)
    return list(claims)


def titles(lab: Lab) -> dict[str, str]:
    """The documents that the claims of a lab are from, by their source."""
    rows = published.load(lab).values()
    return {**_read(lab)[1].documents, **{row.source: row.document for row in rows}}


def _read(lab: Lab) -> tuple[Document, ClaimsSpec]:
    document = documents.load_yaml(lab.folder / "claims.yml")
    return document, fitting.validate(document, ClaimsSpec)


def _faults(
    lab: Lab, claim: Claim, numbers: dict[str, Published], seen: set[str]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """What is wrong with a claim, with the keys that it stands at, the first to mend first."""
    if claim.id in seen:
        yield (), "stands here twice"
    unknown = [name for name in claim.published if name not in numbers]
    for name in unknown:
        yield ("published",), f"published.csv has no row {name!r}{did_you_mean(name, numbers)}"
    if unknown:
        return
    mine = [numbers[name] for name in claim.published]
    yield from _of_judge(lab, "judge", claim.judge, mine)
    for name in claim.documented.facts if claim.documented else ():
        if manual.fact(name).fact.basis == "inferred":
            yield ("documented", "facts"), f"fact {name} is inferred: no document says it"
    for message in vendor.faults(claim.tables, numbers) if claim.tables else ():
        yield ("tables",), message
    if claim.on_routeros:
        # It judges by counters: the published rates are for the other one.
        yield from _of_judge(lab, "on_routeros", claim.on_routeros, [])


def _of_judge(
    lab: Lab, key: str, judge: Judge, mine: list[Published]
) -> Iterator[tuple[tuple[str, ...], str]]:
    word, keys = judge.word, (key, judge.name)
    for name in conditions(word):
        if name not in lab.conditions:
            near = did_you_mean(name, lab.conditions)
            yield keys, f"no condition {name!r} in the lab{near}"
    for message in rows.faults(lab, word, mine):
        yield keys, message
    if key == "judge" and (message := _no_counter(lab, word)):
        yield keys, message


def _no_counter(lab: Lab, word: Any) -> str:
    counter = getattr(word, "counter", None)
    if counter is None:
        return ""
    known = counters(lab, word.condition)
    return "" if counter in known else f"no counter {counter!r}{did_you_mean(counter, known)}"


def counters(lab: Lab, condition: str) -> list[str]:
    """The counters of a condition as trials name them: of other nodes with the node's name."""
    spec = lab.conditions[condition]
    beside = [f"{node} {name}" for node, w in spec.nodes.items() for name in w.counters]
    return [*spec.linux.counters, *beside]
