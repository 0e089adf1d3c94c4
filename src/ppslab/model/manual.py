"""Facts on RouterOS out of MikroTik's manual and other sources: rosexplain's, by id.

Whatever in the project decides by "RouterOS does X" names such a fact; so it can be read again.

>>> from ppslab.model import manual
>>> manual.fact("l3hw-per-vlan").fact.since
'7.21'
"""

from __future__ import annotations

from ppslab.core.errors import FileError, UsageError, did_you_mean
from rosexplain import rule_files
from rosexplain.rule_files import FactIds, SourcedFact

__all__ = ["FactIds", "SourcedFact", "fact", "load", "says"]


def load() -> dict[str, SourcedFact]:
    """Every fact by its id, in the order of the files; FileError where a file is wrong."""
    try:
        return rule_files.facts()
    except rule_files.RuleFileError as error:
        raise FileError(error.path, error.line, error.message) from None


def fact(name: str) -> SourcedFact:
    """The fact called `name`; UsageError where there is none."""
    facts = load()
    if name not in facts:
        near = did_you_mean(name, facts) or "; the facts stand in packages/rosexplain/rules/facts/"
        raise UsageError(f"no fact {name!r} of RouterOS{near}")
    return facts[name]


def says(name: str) -> str:
    """The sentence of the fact called `name`."""
    return fact(name).says
