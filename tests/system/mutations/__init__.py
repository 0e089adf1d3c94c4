"""Defects to put in on purpose: does each turn the tests red?  `mutations.yml` lists them."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import Field

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel

LIST = Path(__file__).with_name("mutations.yml")
PUT_IN = Path(__file__).with_name("put-in")
"""Stands in a clone that has mutations; mutations/test_mutations.py then has nothing to say."""


class Round(StrictModel):
    """Mutations that are put in together.

    `target`: of make, which runs the tests; `only`: the tests with this mark (make test ONLY=).
    """

    target: str = "test"
    only: str = ""


class Mutation(StrictModel):
    """A defect: what it does, where it is put in, and what must see it."""

    says: str
    round: str
    file: Path
    old: str = Field(min_length=1)
    new: str
    caught: str

    def put_in(self, root: Path) -> None:
        """Change the file; ValueError where there is not one place for it."""
        path = root / self.file
        text = path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{self.file}: stands there {text.count(self.old)} times: {self.old}")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")

    def seen_by(self, red: list[str], log: str) -> list[str]:
        """Of what was red, that which must see it.

        `red`: ids of tests, and what of make ended red; `log`: all that the run printed.
        """
        if re.fullmatch(r"[\w-]+", self.caught):  # a target of make, or its stamp
            return [self.caught] if re.search(rf"[ /]{self.caught}\] Error", log) else []
        return [each for each in red if each.startswith(self.caught)]


class Mutations(StrictModel):
    """The file: the rounds in their order, and the mutations by name."""

    rounds: dict[str, Round]
    mutations: dict[str, Mutation]

    def of(self, name: str) -> dict[str, Mutation]:
        """The mutations of a round."""
        return {key: each for key, each in self.mutations.items() if each.round == name}


def load() -> Mutations:
    """The list, checked; FileError with the line of its first fault."""
    return fitting.validate(documents.load_yaml(LIST), Mutations)
