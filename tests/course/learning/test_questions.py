"""A question's "Read" line sends the reader to the page that has the section it names."""

from __future__ import annotations

import re

from ppslab.core import paths

BOOK = paths.project_root() / "book"


def _headings(page: str) -> set[str]:
    """What a reader who looks for a section can find: headings, and bold sentences that begin."""
    text = (BOOK / page).read_text(encoding="utf-8")
    found = re.findall(r"^#+ (.+)$|^\*\*(.+?)\*\*", text, re.MULTILINE)
    return {(heading or lead).rstrip(".") for heading, lead in found}


def _named() -> list[tuple[str, str]]:
    """Pages and the sections of them, each section after the link that it belongs to."""
    named = []
    text = (BOOK / "questions.md").read_text(encoding="utf-8")
    for line in re.findall(r"^\*\*Read:\*\* (.+)$", text, re.MULTILINE):
        page = ""
        for link, section in re.findall(r"\]\(([\w/-]+\.md)\)|(?<!\*)\*([^*]+)\*(?!\*)", line):
            page = link or page
            if section:
                named.append((page, section))
    return named


def test_each_section_that_a_question_names_is_on_the_page_that_it_links() -> None:
    named = _named()
    assert named
    assert [(page, section) for page, section in named if section not in _headings(page)] == []
