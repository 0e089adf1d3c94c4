"""Everything that a lab of the checkout must hold; `ppslab validate` says it, and tests ask here.

Three kinds of finding: a *fault* is always wrong; what is *to write* is wrong too, but for a lab
that says `draft: true`; *advice* is never wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ppslab.course.lab_rules import data, lessons, statements, wiring
from ppslab.course.lab_rules.findings import ADVICE, FAULT, TO_WRITE, Finding, Kind
from ppslab.model.lab.lab import Lab

__all__ = ["ADVICE", "FAULT", "RULES", "TO_WRITE", "Finding", "Kind", "findings"]

RULES: tuple[Callable[[Lab], Iterator[Finding]], ...] = (
    data.every_published_number_is_claimed,
    data.every_claim_has_its_source,
    data.every_condition_is_told_and_on_routeros,
    data.every_file_is_used,
    data.every_counter_is_routeros_own,
    wiring.ports_are_there,
    wiring.a_chr_stands_in,
    wiring.addresses_are_for_benchmarks,
    statements.files_are_routeros,
    statements.tasks_are_routeros,
    lessons.tasks_are_there,
    lessons.pages_are_listed,
    lessons.the_chapter_teaches,
    lessons.the_quiz_fits,
    lessons.a_run_is_recorded,
    lessons.nothing_is_left_to_write,
)
"""Each yields what breaks it."""


def findings(lab: Lab) -> list[Finding]:
    """What breaks a rule, faults first; of a draft nothing that is to write is a fault."""
    found = [finding for rule in RULES for finding in rule(lab)]
    kinds: tuple[Kind, ...] = (FAULT, TO_WRITE, ADVICE)
    return sorted(found, key=lambda each: kinds.index(each.kind))
