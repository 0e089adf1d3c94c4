"""What the chapter on measuring shows is so: searches, ports, meters, the broken instrument."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core.errors import UsageError
from ppslab.core.text.grouping import APART
from ppslab.core.text.tables import Table
from ppslab.course import measuring
from ppslab.course.measuring import Broken
from ppslab.course.site.directives.measuring import FIGURES, TABLES
from ppslab.model import results, simulated
from ppslab.show.figures import Figure
from tests.support import sphinx_site
from tests.support.factory import make_record
from tests.support.faults_factory import make_faults

BINARY = "binary search, trials of 60 s"
SHORT = "binary search, trials of 1 s"
NDR = "MLRsearch, no loss (NDR)"


@pytest.fixture(scope="module")
def spikes() -> measuring.Comparison:
    return measuring.compare(simulated.EXAMPLES["loss spikes"])


@pytest.mark.long
def test_on_a_router_with_loss_spikes_only_mlrsearch_finds_the_truth(
    spikes: measuring.Comparison,
) -> None:
    """What the page "Searching" says in words."""
    found = {each.method: each for each in spikes.found}
    assert found[BINARY].close == 0
    assert max(found[BINARY].shares) < 0.2
    assert found["the same with loss verification"].close == 0
    assert 0 < found[SHORT].close < 20
    assert min(found[SHORT].shares) < 0.8
    assert found[NDR].close == 20
    assert found["MLRsearch, 0.1 % (PDR)"].close == 20
    assert found[NDR].traffic_seconds <= found[BINARY].traffic_seconds / 10


def test_on_a_router_that_is_always_the_same_every_search_does() -> None:
    even = measuring.compare(simulated.EXAMPLES["hard limit"], searches=3, methods=[BINARY, NDR])
    assert [each.close for each in even.found] == [3, 3]


@pytest.mark.long
def test_guesses_stand_beside_what_was_found_and_figures_say_their_numbers(
    spikes: measuring.Comparison,
) -> None:
    table = spikes.table({BINARY: 17})
    column = table.header.index("your guess")
    assert [row[column].text for row in table.rows] == ["17", "-", "-", "-", "-"]
    assert "your guess" not in spikes.table().header
    watched = measuring.watch(simulated.EXAMPLES["loss spikes"])
    curve = measuring.loss_curve(simulated.EXAMPLES["loss spikes"])
    for figure in (spikes.figure(), watched.figure(), curve):
        assert isinstance(figure, Figure) and figure.lines
        assert "<svg" in figure.html() and "simulated" in repr(figure)


@pytest.mark.long
def test_a_router_that_makes_the_tester_wait_is_seen_from_the_intended_time_only() -> None:
    held = simulated.EXAMPLES["back pressure"](1).frames(seconds=2.0, load=80_000)
    table = measuring.two_delays(held)
    intended, actual = ([float(cell.text.split()[0]) for cell in row[1:]] for row in table.rows)
    assert intended[2] > 15
    assert actual[2] < 1
    assert "0 did not arrive" in str(table.notes[0])


def test_at_large_frames_the_published_table_shows_full_ports() -> None:
    """What the page "Measuring" says of the CCR1036's table."""
    shares = {row[0].text: [cell.text for cell in row[1:]] for row in measuring.ports().rows}
    assert all(row[2].endswith("(100 %)") for row in shares.values())
    assert shares["routing-fast-path"][0].endswith("(100 %)")
    assert shares["routing-25-ip-filter-rules"][0].endswith("(15 %)")


def test_a_port_of_a_gigabit_carries_what_rfc_2544_says() -> None:
    """RFC 2544 appendix B has 14880 and 812 for 10 Mbit/s."""
    rates = {row[0].text: row[1].text for row in measuring.wire(1e7).rows}
    assert (rates["64"], rates["1518"]) == (f"14{APART}881", "813")
    with pytest.raises(UsageError):
        measuring.wire(0)


def test_the_meter_of_the_article_counted_two_things() -> None:
    """What the solutions of the page "Meters" say."""
    said = {row[0].text: row[4].text for row in measuring.published_meters("dut").rows}
    assert said["rb1100-fast-path-dut-ether11-rx"] == "60.0"
    assert said["rb1100-fast-path-dut-ether1-tx"] == "62.0"
    assert said["rb1100-fast-path-dut-ether11-tx"] == "60.0"
    totals = {row[0].text: row[4].text for row in measuring.published_meters("total").rows}
    assert float(totals["rb1100-fast-path-total-lost"]) > 64


def test_guesses_on_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    monkeypatch.setenv("PPSLAB_BACKEND", "recorded")
    record = make_faults({"offload-on": "missed"})
    results.save(record, tmp_path / "faults-fastpath-20260102T030405Z-namespaces.json")
    broken = measuring.break_it()
    assert "5 of 6 faults caught" in repr(broken)
    table = broken.table({"offload-on": "caught"})
    assert isinstance(table, Table)
    assert [row[-1].text for row in table.rows] == ["-", "-", "-", "caught", "-", "-"]
    with pytest.raises(UsageError, match='"offload-on"'):
        broken.table({"offload": "caught"})
    with pytest.raises(UsageError, match="caught or missed"):
        broken.table({"offload-on": "perhaps"})
    figure = Broken("fastpath", record).figure()
    assert isinstance(figure, Figure)


def test_a_router_that_always_fails_can_be_watched_and_not_compared() -> None:
    always = simulated.EXAMPLES["fails at any rate"]
    watched = measuring.watch(always)
    assert watched.truth is None
    assert not any(step.passed[0.0] for steps in watched.steps.values() for step in steps)
    with pytest.raises(UsageError, match="0 %"):
        measuring.compare(always, title="a router that fails", searches=1)
    with pytest.raises(UsageError):
        measuring.loss_curve(always)


# --- the views of the chapter ---------------------------------------------------------------------


TABLE_WORDS = [*TABLES, "noise", "faults", "pause"]
FIGURE_WORDS = [*FIGURES, "pause"]


@pytest.fixture(autouse=True)
def own_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "results"
    monkeypatch.setenv("PPSLAB_RESULTS", str(folder))
    monkeypatch.setenv("PPSLAB_BACKEND", "recorded")
    return folder


@pytest.mark.long
def test_every_word_shows_something(tmp_path: Path, own_results: Path) -> None:
    results.save(make_record(), own_results / "fastpath-20260102T030405Z-namespaces.json")
    results.save(make_faults(), own_results / "faults-fastpath-20260102T030405Z-namespaces.json")
    blocks = [f"```{{ppslab-table}} {word}\n```\n\n" for word in TABLE_WORDS]
    blocks += [f"```{{ppslab-figure}} {word}\n```\n\n" for word in FIGURE_WORDS]
    page, warnings = sphinx_site.page(tmp_path, f"# Front\n\n{''.join(blocks)}")
    assert warnings == ""
    assert "No such run" not in page
    assert page.count('<svg role="img"') == len(FIGURE_WORDS)
    assert page.count('class="ppslab-table') == len(TABLE_WORDS)
