"""The front page begins with what a newcomer does; long listings are folded."""

from __future__ import annotations

import re

from ppslab.core import paths
from ppslab.course.site.directives.configuration import OPEN_LINES

ROOT = paths.project_root()
BOOK = ROOT / "book"


def test_where_to_begin_stands_before_the_contents_and_after_the_button() -> None:
    text = (BOOK / "index.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[0] == "Where to begin"
    assert text.index("ppslab-first") < text.index("## Where to begin")


def test_a_long_program_is_folded_as_configurations_are() -> None:
    text = (BOOK / "fastpath/measured.md").read_text(encoding="utf-8")
    folded = re.sub(r"^(:{3,})\{dropdown\}.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert "{literalinclude} /images/linux-router/bpf/fib_forward.bpf.c" in text
    for path in re.findall(r"\{literalinclude\} (/\S+\.c)$", folded, re.MULTILINE):
        program = ROOT / path.removeprefix("/")
        assert len(program.read_text(encoding="utf-8").splitlines()) <= OPEN_LINES, path
