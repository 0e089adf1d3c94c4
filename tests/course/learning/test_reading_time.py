"""The minutes of a page follow the words that its reader meets."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.course.learning import reading_time
from ppslab.model import manual

GOALS = ":::{ppslab-goals}\n- five more words are folded\n:::\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("---\nkey: a value\n---\n(label)=\n# Two words\n", 2),
        ("Three [plain words](../a/long-address.md).\n\n- and two\n", 5),
        ("| a | table |\n|---|---|\n| of | words |\n\nOne\n", 1),
        ("```sh\nls -l\n```\n\n```{ppslab-table} costs fastpath\n```\n\nOne\n", 1),
        (":::{dropdown} Closed\nNothing\n\n```sh\nls\n```\nmore\n:::\nOne\n", 1),
        ("::::{div} box\n:option: 3\n:::{note}\nTwo words\n:::\nthree\n::::\n", 3),
        ("```{admonition} Title\n:class: tip\nTwo words\n```\n", 2),
        ("{.dropdown}\n## Closed\nNothing\n### Below\nNothing\n## Open\nOne\n", 3),
        (
            "## Conditions\nNothing\n```{ppslab-table} conditions fastpath\n```\n## Open\nOne\n",
            3,
        ),
        (":::{dropdown} Open\n:open:\nTwo words\n:::\n", 2),
        ("{.dropdown .dropdown-open}\n## Open\nOne\n", 2),
        ("It takes {ppslab-number}`fastpath cost routing-plain 64`, {ref}`not more <label>`.\n", 5),
        (f"{GOALS}One\n", 1),
    ],
)
def test_words_count_unless_they_are_code_tables_or_folded(text: str, words: int) -> None:
    assert reading_time.count(text) == words


def test_a_list_of_facts_counts_their_sentences() -> None:
    name, fact = next(iter(manual.load().items()))
    listed = f"```{{ppslab-manual}}\n{name}\n```\n"
    assert reading_time.count(listed) == reading_time.count(fact.says) > 3
    assert reading_time.count(f":::{{dropdown}} Closed\n{listed}:::\n") == 0


def test_a_folder_is_read_as_one_but_for_pages_with_goals_of_their_own(tmp_path: Path) -> None:
    index, why, own = (tmp_path / f"{name}.md" for name in ("index", "why", "own"))
    index.write_text(f"{GOALS}{'word ' * 300}")
    why.write_text("word " * 500)
    own.write_text(f"{GOALS}{'word ' * 9000}")
    assert reading_time.together(index) == [index, why]
    assert reading_time.minutes(index) == 4
    assert reading_time.minutes(own) == 45
    own.write_text(f"{GOALS}word")
    assert reading_time.minutes(own) == 1
