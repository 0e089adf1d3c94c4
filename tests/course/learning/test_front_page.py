"""The front page begins with what a newcomer does; long listings are folded."""

from __future__ import annotations

import re

import pytest

from ppslab.core import paths
from ppslab.course.site.directives.configuration import OPEN_LINES

ROOT = paths.project_root()
BOOK = ROOT / "book"


@pytest.mark.parametrize("leads", ["explain", "slow", "fast", "using", "live-router"])
def test_a_newcomer_is_led_on_from_the_front_page(leads: str) -> None:
    assert f"]({leads}.md)" in (BOOK / "index.md").read_text(encoding="utf-8")


def test_the_readers_own_router_stands_before_everything_else() -> None:
    text = (BOOK / "index.md").read_text(encoding="utf-8")
    first = [text.index("{ppslab-figure} rates"), text.index("ppslab-first"), text.index("\n## ")]
    assert first == sorted(first)


def test_a_long_program_is_folded_as_configurations_are() -> None:
    text = (BOOK / "fastpath/measured.md").read_text(encoding="utf-8")
    folded = re.sub(r"^(:{3,})\{dropdown\}.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert "{literalinclude} /images/linux-router/bpf/fib_forward.bpf.c" in text
    for path in re.findall(r"\{literalinclude\} (/\S+\.c)$", folded, re.MULTILINE):
        program = ROOT / path.removeprefix("/")
        assert len(program.read_text(encoding="utf-8").splitlines()) <= OPEN_LINES, path
