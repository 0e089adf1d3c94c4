"""Published numbers add up, claims compare rows of their conditions, and counts can refute them."""

from __future__ import annotations

import pytest

from ppslab.core import units
from ppslab.judge import claims, placement
from ppslab.model.lab import lab, published
from ppslab.model.results import Record
from tests.support import excerpts

FASTPATH, PPPOE = lab.find("fastpath"), lab.find("pppoe")
NUMBERS = published.load(FASTPATH)


def test_the_totals_are_the_sums_of_their_streams() -> None:
    for run in ("rb1100-fast-path", "rb1100-connection-tracking"):
        for quantity in ("tx", "rx", "lost"):
            streams = [NUMBERS[f"{run}-stream-{n}-{quantity}"].value for n in range(6)]
            assert NUMBERS[f"{run}-total-{quantity}"].value == sum(streams)
        smallest = min(NUMBERS[f"{run}-stream-{n}-latency"].value for n in range(6))
        assert NUMBERS[f"{run}-total-latency"].value == smallest


def test_what_was_sent_was_received_or_lost() -> None:
    rows = [key.removesuffix("-tx") for key in NUMBERS if key.endswith("-tx") and "dut" not in key]
    assert len(rows) == 2 * 7 + 2
    for row in rows:
        sent, received, lost = (NUMBERS[f"{row}-{word}"].value for word in ("tx", "rx", "lost"))
        assert sent == received + lost


def test_the_table_counts_frames_with_their_check_sequence() -> None:
    rates = [row for row in NUMBERS.values() if f"{row.id}-bits" in NUMBERS and row.unit == "kpps"]
    assert len(rates) == 15
    for row in rates:
        assert row.frame_size
        bits = NUMBERS[f"{row.id}-bits"].value
        # 3,481.8 kpps of 64 bytes are 1,782.68 Mbit/s; the table has 1,782.7.
        assert units.frame_bits_per_second(row.value * 1e3, row.frame_size) / 1e6 == pytest.approx(
            bits, rel=1e-4
        )


# --- the lab of cores ------------------------------------------------------------------------

CORES = excerpts.record(excerpts.CORES)
CARRYING = {"one-core": "1", "two-cores": "2", "three-cores": "3", "four-cores": "4",
            "four-cores-1": "1", "four-cores-tunnel": "1", "core-a-port": "2", "core-a-port-1": "1",
            "two-cores-of-1": "1", "two-cores-of-2": "1", "two-cores-of-3": "2",
            "two-cores-of-6": "2", "pfifo": "4", "mq-pfifo": "4",
            "card-one-queue": "1", "card-four-queues": "4", "card-four-queues-1": "1"}  # fmt: skip


def test_as_many_cpus_carry_as_the_streams_let() -> None:
    """Thirty streams fall as dice do: a CPU may get one or two of them, which is no tenth."""
    carrying = {row[0].content.id: row[1].content for row in placement.cpu_table(CORES).rows}
    assert carrying.pop("four-cores-30") in ("3", "4")
    assert carrying == CARRYING


@pytest.mark.parametrize(
    ("claim", "condition", "otherwise"),
    [
        ("one-stream-uses-one-core", "four-cores-1", (25, 25, 25, 25)),
        ("one-stream-uses-one-core", "four-cores-1", (50, 50, 0, 0)),
    ],
)
def test_a_claim_on_a_stream_differs_by_other_counts(
    claim: str, condition: str, otherwise: tuple[int, ...]
) -> None:
    def verdict(record: Record) -> str:
        judged = claims.judge_all(lab.find("cores"), claims.Runs.of(record, None))
        return next(each.verdict for each in judged if each.id == claim)

    assert verdict(CORES) == "holds on Linux"
    shares = {f"cpu{number}": count for number, count in enumerate(otherwise)}
    trials = tuple(
        trial.model_copy(update={"counters": trial.counters | shares})
        if trial.condition == condition
        else trial
        for trial in CORES.trials
    )
    assert verdict(CORES.model_copy(update={"trials": trials})) == "does not hold on Linux"
