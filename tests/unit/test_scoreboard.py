"""The scoreboard: every number once, beside the claim that says most; and the README's badge."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ppslab import badge, claims, lab, published, results, scoreboard
from ppslab.lab import Lab
from ppslab.scoreboard import Entry, Measured
from tests.factory import COSTS, make_record

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def fastpath() -> Lab:
    return lab.find("fastpath")


@pytest.fixture(scope="module")
def board(fastpath: Lab) -> list[Entry]:
    return scoreboard.entries([Measured(fastpath, make_record())])


def test_every_number_and_every_claim_stands_there_once(fastpath: Lab, board: list[Entry]) -> None:
    shown = [number.id for entry in board for number in entry.numbers]
    assert sorted(shown) == sorted(published.load(fastpath))
    assert len(set(shown)) == len(shown)
    said = [entry.claim.id for entry in board if entry.claim]
    assert said == [claim.id for claim in claims.load(fastpath)]


def test_a_claim_names_all_its_numbers_here_or_elsewhere(board: list[Entry]) -> None:
    for entry in board:
        if entry.claim:
            named = {number.id for number in (*entry.numbers, *entry.elsewhere)}
            assert named == set(entry.claim.published)


def test_a_number_stands_beside_the_claim_that_says_most(fastpath: Lab) -> None:
    """The rate of the fast path is in a claim that cannot be tested, and in two that can."""
    row = "rb1100-fast-path-total-rx"

    def beside(costs: dict[str, float]) -> str:
        found = scoreboard.entries([Measured(fastpath, make_record(costs=costs))])
        (home,) = [e for e in found if row in {number.id for number in e.numbers}]
        assert home.judged
        return home.judged.verdict

    assert beside({}) == claims.REPRODUCED
    upside_down = {"routing-fast-path": COSTS["routing-connection-tracking"] * 4}
    assert beside(upside_down) == claims.CONTRADICTED
    (home,) = [
        e
        for e in scoreboard.entries([Measured(fastpath)])
        if row in {number.id for number in e.numbers}
    ]
    assert home.judged and home.judged.verdict == claims.INCONCLUSIVE


def test_a_number_without_a_claim_is_not_lost(fastpath: Lab, tmp_path: Path) -> None:
    folder = tmp_path / "fastpath"
    shutil.copytree(fastpath.folder, folder)
    said = (folder / "claims.yml").read_text()
    # Without the claim that has every rate of the RB1100AHx2, most of these stand alone.
    cut = re.sub(r"  - id: rb1100-rates\n.*?(?=\n  - id:)", "", said, flags=re.DOTALL)
    assert cut != said
    (folder / "claims.yml").write_text(cut)
    found = scoreboard.entries([Measured(lab.load(folder))])
    alone = [entry for entry in found if entry.claim is None]
    assert sum(len(entry.numbers) for entry in found) == len(published.load(fastpath))
    assert alone and alone[0].source == "mikrotik-traffic-generator"
    assert len(alone[0].numbers) > 50


def test_the_summary_adds_up(fastpath: Lab, board: list[Entry]) -> None:
    table = scoreboard.summary(board)
    *sources, whole = [[cell.text for cell in row] for row in table.rows]
    for column in range(1, len(table.header)):
        assert sum(int(row[column]) for row in sources) == int(whole[column])
    assert int(whole[1]) == len(published.load(fastpath))
    assert int(whole[2]) == sum(map(int, whole[3:])) == len(claims.load(fastpath))


# --- the badge --------------------------------------------------------------------------------


def test_the_badge_of_the_readme_is_that_of_the_kept_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Made anew from results/, it is the same file: nobody can type a verdict into it."""
    monkeypatch.delenv("PPSLAB_RESULTS", raising=False)
    kept = (ROOT / "book/assets/claims.svg").read_text()
    assert kept == badge.svg(badge.said()), (
        "the runs, the labs or the judging changed: "
        "ppslab claims --badge book/assets/claims.svg makes it anew"
    )
    assert "book/assets/claims.svg" in (ROOT / "README.md").read_text()


def test_the_badge_says_what_the_runs_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    assert badge.said(["fastpath"]).runs == "No run yet."
    first = make_record()
    results.save(first, tmp_path / "fastpath-20261121T030000Z-namespaces.json")
    said = badge.said(["fastpath"])
    judged = claims.judge_all(lab.find("fastpath"), first)
    for verdict, count in said.counts.items():
        assert count == sum(each.verdict == verdict for each in judged)
    assert sum(said.counts.values()) == len(judged)
    assert "2026-11-21" in said.runs and "linux" in said.runs and "namespaces" in said.runs
    drawn = ElementTree.fromstring(badge.svg(said))
    texts = ["".join(text.itertext()) for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert f"{said.counts[claims.REPRODUCED]} reproduced" in texts
    assert drawn.get("aria-label") == said.sentence


def test_a_readers_own_runs_are_not_on_the_badge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    (tmp_path / "local").mkdir()
    results.save(make_record(), tmp_path / "local/fastpath-20261121T030000Z-namespaces.json")
    assert badge.said(["fastpath"]).runs == "No run yet."


def test_another_result_makes_another_badge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    path = tmp_path / "fastpath-20261121T030000Z-namespaces.json"
    results.save(make_record(), path)
    before = badge.svg(badge.said(["fastpath"]))
    results.save(make_record(costs={"routing-fast-path": 2000.0}), path)
    assert badge.svg(badge.said(["fastpath"])) != before
