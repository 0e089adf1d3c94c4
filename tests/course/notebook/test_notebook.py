"""The notebook's words: open, predict, run, look, judge; with a record and without."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import ppslab
from ppslab.core.errors import UsageError
from ppslab.course.notebook.nbval_intervals import disagreements
from ppslab.course.notebook.notebook import OpenLab, Run, TcpRun
from ppslab.judge import claims
from ppslab.model import results
from ppslab.model.lab import lab
from tests.support import made
from tests.support.factory import make_record
from tests.support.tcp_factory import GOODPUT, make_tcp_record


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenLab:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    monkeypatch.setenv("PPSLAB_BACKEND", "recorded")
    lab = ppslab.open("fastpath")
    assert isinstance(lab, OpenLab)
    return lab


@pytest.fixture
def run(opened: OpenLab, tmp_path: Path) -> Run:
    results.save(make_record(), tmp_path / "fastpath-20260102T030405Z-namespaces.json")
    return opened.run()


def test_importing_the_package_brings_no_figures() -> None:
    code = "import ppslab, sys; sys.exit('matplotlib' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("said", ["figure", "table", "order", "claims", "prediction"])
def test_everything_shows_itself_as_text_and_html(run: Run, said: str) -> None:
    shown = getattr(run, said)()
    assert run.record.provenance().sentence in repr(shown)
    assert made.says(shown._repr_html_(), run.record.provenance().sentence)


def test_a_kind_that_does_not_exist_is_named(run: Run) -> None:
    with pytest.raises(UsageError, match="'pie'"):
        run.figure("pie")
    with pytest.raises(UsageError, match="'pie'"):
        run.table("pie")


def test_without_a_run_everything_says_so(opened: OpenLab) -> None:
    run = opened.run()
    for shown in (run, run.figure(), run.table(), run.order(), run.claims(), run.prediction(),
                  run.provenance, run.cannot_show):  # fmt: skip
        assert "ppslab run fastpath" in repr(shown)
    with pytest.raises(UsageError, match="fastpath"):
        _ = run.record


def test_a_guess_stands_beside_the_result(opened: OpenLab, tmp_path: Path) -> None:
    opened.predict(routing_fast_path=0.5)
    results.save(make_record(), tmp_path / "fastpath-20260102T030405Z-namespaces.json")
    said = repr(opened.run().prediction())
    row = next(line for line in said.splitlines() if line.startswith("routing-fast-path"))
    assert row.split()[1] == "0.5"
    assert 'value="0.5"' in opened.predict()._repr_html_()


@pytest.mark.parametrize(
    "guess", [{"routing_fast_pth": 1.0}, {"routing_plain": 1.0}, {"routing_fast_path": -3.0}]
)
def test_a_guess_that_cannot_be_is_refused(opened: OpenLab, guess: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        opened.predict(**guess)


def test_a_page_gets_a_form_and_no_widget(opened: OpenLab) -> None:
    bundle = opened.predict()._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    # One for each condition but the reference.
    assert bundle["text/html"].count("<input") == len(lab.find("fastpath").conditions) - 1


def test_your_chr_gets_the_labs_own_files(opened: OpenLab) -> None:
    said = repr(opened.on_your_chr("routing-3-rules"))
    assert opened.lab.text("routeros/filter-3.rsc").rstrip() in said
    with pytest.raises(UsageError, match="routing-4-rules"):
        opened.on_your_chr("routing-4-rules")


def test_published_numbers_are_those_that_claims_stand_on_or_all(opened: OpenLab) -> None:
    assert len(opened.published().rows) < len(opened.published(everything=True).rows)


# --- a TCP run and a part of a record in a notebook: what is shown is what was chosen -------------

FASTPATH = lab.find("fastpath")
TWO = ("routing-fast-path", "routing-plain")


def test_two_tcp_runs_of_the_same_router_agree_and_of_another_do_not() -> None:
    stored = TcpRun(FASTPATH, make_tcp_record(seed=1)).table().data()
    # Absolute rates drift; ratios must not.
    twice = {name: 2 * value for name, value in GOODPUT.items()}
    same = TcpRun(FASTPATH, make_tcp_record(twice, seed=2)).table().data()
    assert disagreements(stored, same) == []
    other = dict(GOODPUT) | {"routing-25-ip-filter-rules": 3.0e9}
    assert disagreements(stored, TcpRun(FASTPATH, make_tcp_record(other)).table().data())


def test_a_part_of_a_record_is_as_if_no_more_was_measured() -> None:
    whole, pair = make_record(), ("routing-fast-path", "routing-connection-tracking")
    part = results.only(whole, pair, (64,), search=False)
    assert [condition.name for condition in part.conditions] == list(pair)
    assert {trial.frame_size for trial in part.trials} == {64}
    assert part.searches == ()
    judged = {each.id for each in claims.judge_run(FASTPATH, part)}
    assert "ratio-of-filter-rules-to-queues" not in judged
    assert "ratio-of-tracking-to-the-fast-path" in judged
    assert results.only(whole).trials == whole.trials


def test_a_part_of_a_tcp_record_has_an_a_a_interval_where_the_reference_was_measured() -> None:
    alone = results.only_tcp(make_tcp_record(), ("routing-fast-path",))
    assert {t.condition for t in alone.transfers} == {"routing-fast-path"}
    assert "TCP: 1 conditions" in str(TcpRun(FASTPATH, alone))
    both = results.only_tcp(make_tcp_record(), TWO)
    assert any(t.purpose == "a-a" for t in both.transfers)
    assert "TCP: 2 conditions" in str(TcpRun(FASTPATH, both))
