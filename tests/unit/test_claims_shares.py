"""Claims on TCP, on counters and on frames that came late or not at all, of records made up."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab import claims, lab, published, results
from ppslab.errors import FileError
from ppslab.lab import Lab
from tests.factory import make_record
from tests.tcp_factory import make_tcp_record

FASTPATH = lab.find("fastpath")
TESTER = ("received", "reordered")
HEAD = ",".join(published.COLUMNS) + "\n"
ROWS = (
    "fast,one,A paper,A box,7,TCP,,,goodput,6.4,Gbit/s,6.4 Gbps,page 1,\n"
    "slow,one,A paper,A box,7,TCP,,,goodput,3200,Mbit/s,3200 Mbps,page 1,\n"
)  # fmt: skip
CLAIM = """claims:
  - id: one
    source: one
    statement: Something.
    published: %s
    settled_by: The box.
    judge:
      %s
"""


def made_lab(folder: Path, judge: str, published: str = "[]") -> Lab:
    """The lab with one claim, two published goodputs, and two counters on one condition."""
    (folder / "published.csv").write_text(HEAD + ROWS)
    (folder / "claims.yml").write_text(CLAIM % (published, judge))
    words = FASTPATH.words.model_dump()
    for condition in words["conditions"]:
        if condition["name"] == "routing-3-rules":
            condition["linux"]["counters"] = {"seen": "echo 1", "queued": "echo 1"}
            condition["nodes"] = {"tester": {"counters": {"came": "echo 1"}}}
    return Lab(folder, type(FASTPATH.words).model_validate(words))


def judged(
    folder: Path,
    judge: str,
    record: results.Record | None = None,
    tcp: results.TcpRecord | None = None,
    published: str = "[]",
) -> claims.Judged:
    (found,) = claims.judge_all(made_lab(folder, judge, published), record, tcp)
    return found


def with_counts(record: results.Record, **counts: int) -> results.Record:
    """The record whose router counted, and whose tester received, so many of 100 000 frames."""
    trials = [
        trial.model_copy(
            update={
                "counters": {"seen": counts.get("seen", 0), "queued": counts.get("queued", 0)},
                "counts": {**(trial.counts or {}), **{k: counts[k] for k in counts if k in TESTER}},
            }
        )
        if trial.condition == "routing-3-rules"
        else trial
        for trial in record.trials
    ]  # fmt: skip
    return record.model_copy(update={"trials": tuple(trials)})


HALF = "counter: queued, of: seen, at_least: 0.4, at_most: 0.6"
COUNTED = "counter_share: {condition: routing-3-rules, size: 64, counter: %s, at_most: 1}"
RATIO = "goodput_ratio: {numerator: routing-fast-path, denominator: routing-plain, factor: 1.3}"


@pytest.mark.parametrize(
    ("plain", "verdict"),
    [(2.0e9, claims.REPRODUCED), (3.8e9, claims.CONTRADICTED)],
)
def test_a_published_ratio_of_goodputs_is_in_one_unit(
    tmp_path: Path, plain: float, verdict: str
) -> None:
    tcp = make_tcp_record({"routing-fast-path": 4.0e9, "routing-plain": plain})
    found = judged(tmp_path, RATIO, tcp=tcp, published="[fast, slow]")
    assert found.published == "2"
    assert found.verdict == verdict
    assert found.measured == pytest.approx(4.0e9 / plain, rel=0.05)
    assert found.settled_by == "The box."


def test_a_claim_on_tcp_without_such_a_run_says_what_to_run(tmp_path: Path) -> None:
    found = judged(tmp_path, RATIO, make_record(), None, "[fast, slow]")
    assert found.verdict == claims.INCONCLUSIVE
    assert "ppslab tcp" in found.reason


@pytest.mark.parametrize(
    ("plain", "verdict"),
    [(3.0e9, claims.REPRODUCED), (6.0e9, claims.CONTRADICTED), (4.0e9, claims.INCONCLUSIVE)],
)
def test_goodputs_stand_in_order(tmp_path: Path, plain: float, verdict: str) -> None:
    words = "goodput_order: {conditions: [routing-fast-path, routing-plain]}"
    tcp = make_tcp_record({"routing-fast-path": 4.0e9, "routing-plain": plain})
    assert judged(tmp_path, words, tcp=tcp).verdict == verdict


@pytest.mark.parametrize(
    ("times", "verdict"),
    [(4, claims.REPRODUCED), (0, claims.CONTRADICTED), (1, claims.INCONCLUSIVE)],
)
def test_more_is_sent_again(tmp_path: Path, times: int, verdict: str) -> None:
    words = "more_retransmits: {condition: routing-plain, than: routing-fast-path}"
    tcp = make_tcp_record({"routing-fast-path": 4.0e9, "routing-plain": 4.0e9})
    changed = [
        transfer.model_copy(
            update={
                "ways": tuple(
                    way.model_copy(
                        update={"retransmits": tuple(times * n for n in way.retransmits)}
                    )
                    for way in transfer.ways
                )
            }
        )
        if transfer.condition == "routing-plain" and transfer.purpose == "transfer"
        else transfer
        for transfer in tcp.transfers
    ]
    tcp = tcp.model_copy(update={"transfers": tuple(changed)})
    assert judged(tmp_path, words, tcp=tcp).verdict == verdict


@pytest.mark.parametrize(
    ("judge", "counts", "verdict"),
    [
        ("counter: seen, at_most: 0.01", {"seen": 100}, claims.REPRODUCED),
        ("counter: seen, at_most: 0.01", {"seen": 90_000}, claims.CONTRADICTED),
        ("counter: seen, at_least: 0.99", {"seen": 100_000}, claims.REPRODUCED),
        (HALF, {"seen": 100, "queued": 50}, claims.REPRODUCED),
        ("counter: queued, of: seen, at_most: 0.6", {"seen": 0, "queued": 50}, claims.INCONCLUSIVE),
    ],
)  # fmt: skip
def test_a_counter_as_a_share(
    tmp_path: Path, judge: str, counts: dict[str, int], verdict: str
) -> None:
    record = with_counts(make_record(), **counts)
    words = f"counter_share: {{condition: routing-3-rules, size: 64, {judge}}}"
    assert judged(tmp_path, words, record).verdict == verdict


@pytest.mark.parametrize(
    ("word", "counts", "measured"),
    [("lost", {"received": 75_000}, 0.25), ("reordered", {"reordered": 20_000}, 0.2)],
)
def test_frames_that_did_not_come_or_came_late(
    tmp_path: Path, word: str, counts: dict[str, int], measured: float
) -> None:
    words = f"{word}: {{condition: routing-3-rules, size: 64, at_least: 0.1}}"
    found = judged(tmp_path, words, with_counts(make_record(), **counts))
    assert found.measured == pytest.approx(measured)
    assert found.verdict == claims.REPRODUCED
    assert judged(tmp_path, words, make_record()).verdict == claims.CONTRADICTED


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        (COUNTED % "sene", "did you mean .seen"),
        (COUNTED % "tester cane", "did you mean .tester came"),
        ("lost: {condition: routing-3-rules, size: 64}", "at_least, at_most"),
        ("goodput_ratio: {numerator: routing-plain, denominator: routing-fast-path}", "two"),
        ("goodput_order: {conditions: [routing-plain, routing-fastpath]}", "routing-fast-path"),
    ],
)  # fmt: skip
def test_a_wrong_word_is_one_message(tmp_path: Path, judge: str, said: str) -> None:
    with pytest.raises(FileError, match=said):
        claims.load(made_lab(tmp_path, judge))


@pytest.mark.parametrize(
    ("factor", "verdict"), [(2.5, claims.REPRODUCED), (1.3, claims.CONTRADICTED)]
)
def test_what_a_larger_frame_costs(tmp_path: Path, factor: float, verdict: str) -> None:
    """In the record all sizes cost the same; in print the larger ones went half as fast."""
    words = f"{{condition: routing-3-rules, larger: 1518, smaller: 64, factor: {factor}}}"
    found = judged(tmp_path, f"size_ratio: {words}", make_record(), published="[slow, fast]")
    assert found.published == "2"
    assert found.measured == pytest.approx(1, rel=0.1)
    assert found.verdict == verdict
