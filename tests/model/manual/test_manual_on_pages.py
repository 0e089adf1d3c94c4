"""The manual's facts on a page: with their source, and one that nobody wrote down is an error."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from ppslab.model import manual
from tests.support import sphinx_site

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PPSLAB_BACKEND", "recorded")


@pytest.mark.long
def test_a_list_says_each_fact_with_its_source(tmp_path: Path) -> None:
    text = "# Page\n\n```{ppslab-manual}\nl3hw-ingress-alone\ntwo-chips-flag\n```\n"
    page, warnings = sphinx_site.page(tmp_path, text)
    assert warnings == ""
    told = manual.fact("l3hw-ingress-alone")
    assert told.says in page and told.fact.quote in page and told.read in page
    assert f'href="{told.source}"' in page


@pytest.mark.long
def test_facts_of_one_page_share_its_line(tmp_path: Path) -> None:
    names = ("fast-path-firewall", "fast-path-tracking", "fast-path-vrf")
    page, _ = sphinx_site.page(
        tmp_path, "# Page\n\n```{ppslab-manual}\n" + "\n".join(names) + "\n```\n"
    )
    facts = [manual.fact(name) for name in names]
    assert len({told.source for told in facts}) == 1
    assert page.count(f'href="{facts[0].source}"') == 1
    for told in facts:
        assert told.says in page and told.fact.quote in page
    # A quote is behind its mark; a fact without one needs none.
    assert page.count('<details class="ppslab-source">') == sum(bool(t.fact.quote) for t in facts)


@pytest.mark.long
def test_a_sentence_carries_its_source(tmp_path: Path) -> None:
    page, warnings = sphinx_site.page(tmp_path, "# Page\n\nSo: {ppslab-says}`l3hw-per-vlan`\n")
    assert warnings == ""
    told = manual.fact("l3hw-per-vlan")
    assert told.says in page and f'title="{told.cited}"' in html.unescape(page)


def test_an_unknown_fact_is_an_error_with_its_line(tmp_path: Path) -> None:
    _, warnings = sphinx_site.page(
        tmp_path,
        "# Page\n\n```{ppslab-manual}\nl3hw-ingres-alone\n```\n\n"
        "{ppslab-says}`l3hw-ingres-alone`\n",
    )
    errors = [line for line in warnings.splitlines() if "did you mean" in line]
    assert [re.findall(r"index\.md:(\d+)", line) for line in errors] == [["3"], ["7"]]


@pytest.mark.long
def test_the_page_of_all_facts_has_every_one(tmp_path: Path) -> None:
    text = (ROOT / "book/manual.md").read_text(encoding="utf-8")
    page, _ = sphinx_site.page(tmp_path, text)
    known = manual.load()
    assert all(f'id="fact-{name}"' in page for name in known)
    unconfirmed = sum(not told.fact.is_confirmed for told in known.values())
    in_the_table = page.count("no router yet") - text.count("no router yet")
    assert in_the_table == unconfirmed > 0
