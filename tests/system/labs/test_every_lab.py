"""What holds for every lab: no rule finds a fault, and each rule finds what is planted."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ppslab.core import units
from ppslab.course import lab_rules
from ppslab.course.lab_rules import ADVICE, TO_WRITE, Finding
from ppslab.course.learning import chapters
from ppslab.judge import claims, placement
from ppslab.model import results
from ppslab.model.lab import lab, published
from ppslab.model.results import Record
from tests.support import excerpts
from tests.system.labs.checkouts import with_new_lab


@pytest.mark.long
@pytest.mark.parametrize("name", lab.names())
def test_it_has_everything_that_a_lab_must_hold(name: str) -> None:
    """The same as `ppslab validate labs/NAME` says."""
    found = lab.find(name)
    assert [str(each) for each in lab_rules.findings(found) if each.fails(found)] == []


@pytest.mark.parametrize("name", lab.names())
def test_a_published_value_has_the_digits_that_are_printed(name: str) -> None:
    """Its unit may be another: kpps for pps."""
    for row in published.load(lab.find(name)).values():
        if re.match("[>~]? ?[0-9]", row.printed):
            printed = re.findall(r"\d[\d, ]*(?:\.\d+)?", row.printed)
            digits = {f"{float(re.sub('[ ,]', '', each)):.6e}"[:8] for each in printed}
            assert digits & {f"{end:.6e}"[:8] for end in (row.said.low, row.said.high)}, row.id


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a new lab in it: its folder."""
    return with_new_lab(tmp_path, monkeypatch) / "labs/planted"


def found(folder: Path) -> list[Finding]:
    return lab_rules.findings(lab.load(folder))


def test_a_new_lab_has_no_fault_and_says_what_is_to_write(planted: Path) -> None:
    broken = found(planted)
    assert not [str(each) for each in broken if each.fails(lab.load(planted))]
    # What the next test plants is not there yet.
    assert not [said for said in PLANTED if any(said in str(each) for each in broken)]
    written = [each for each in broken if each.kind == TO_WRITE]
    pages = {f"{page}.md" for page in chapters.PAGES}
    assert {each.path.name for each in written} == {"planted", "claims.yml", "lab.yml", *pages}
    assert any("0 of 4 drills" in each.message for each in written)
    for each in written:
        if each.line:
            line = each.path.read_text(encoding="utf-8").splitlines()[each.line - 1]
            assert "TO WRITE" in line and each.message in line
    assert [each.path.name for each in broken if each.kind == ADVICE] == ["tasks.yml"]


def replaced(file: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def added(file: str, text: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / file
        before = path.read_text(encoding="utf-8") if path.is_file() else ""
        path.write_text(before + text, encoding="utf-8")

    return change


def gone(file: str) -> Callable[[Path], None]:
    return lambda folder: (folder / file).unlink()


ROW = "lonely,s,d,router,7.1,routing,plain,64,rate,600k,pps,600k,page 1,,\n"
CHAPTER = "../../book/planted/index.md"
MEASURED = "../../book/planted/measured.md"
ROUTER = "../../book/planted/router.md"
TASKS = "../../book/planted/tasks.md"
PLANTED = {
    "no claim of claims.yml names row 'lonely'": added("published.csv", ROW),
    "claim a-rule-costs: no where": replaced(
        "claims.yml", 'where: "TO WRITE', "where: ''  # \"TO WRITE"
    ),
    "claim a-rule-costs: no title of 'somebody'": replaced(
        "claims.yml", "source: its-name", "source: somebody"
    ),
    "claim a-rule-costs: no sentence with a dot": replaced("claims.yml", "something.", "something"),
    "say in `needs` what would show it": replaced(
        "claims.yml", "TO WRITE: that router model", "it"
    ),
    "condition plain: no description": replaced(
        "lab.yml", "description: The packet takes", "description: ''  # The packet takes"
    ),
    "condition plain: no routeros": replaced(
        "lab.yml", "routeros: [routeros/ports.rsc, routeros/plain.rsc]", "routeros: []"
    ),
    "no condition, page or test uses this file": added(
        "routeros/a-lonely-file.rsc", "/ip/settings\nset allow-fast-path=no\n"
    ),
    "only a counter_share holds with every licence": replaced(
        "claims.yml",
        "one-rule], size: 64}",
        "one-rule], size: 64}\n    on_routeros:\n"
        "      order: {conditions: [plain, one-rule], size: 64}",
    ),
    "RouterOS has no counter 'made-up'": replaced(
        "claims.yml",
        "one-rule], size: 64}",
        "one-rule], size: 64}\n    on_routeros:\n"
        "      counter_share: {condition: plain, counter: made-up, size: 64, at_most: 1}",
    ),
    "port p2: tester has no interface 'eth9'": replaced("lab.yml", "p2: eth2", "p2: eth9"),
    "no fastpath-chr.clab.yml with CHRs beside it": gone("../../topologies/fastpath-chr.clab.yml"),
    "8.8.8.8": replaced("lab.yml", "dst: 198.18.2.2", "dst: 8.8.8.8"),
    "frobnicate": added("routeros/one-rule.rsc", "frobnicate\n"),
    "task count-packets:": replaced("tasks.yml", "action=accept comment", "acton=accept comment"),
    "no tasks: what does a learner do": gone("tasks.yml"),
    "no entry `file: notebooks/planted`": replaced(
        "../../_toc.yml", "file: notebooks/planted\n", "file: notebooks/numa\n"
    ),
    "lab planted has no such page": gone("../../notebooks/planted.ipynb"),
    "the chapter begins with no": replaced(CHAPTER, "{ppslab-goals}", "{ppslab-gaols}"),
    "what the reader will know": replaced(CHAPTER, "{ppslab-goals}\n", "{ppslab-goals}\n:::\n"),
    "the chapter asks for no guess": replaced(CHAPTER, "{ppslab-predict} planted", "{x}"),
    "the chapter has no quiz": replaced(TASKS, "{ppslab-quiz} planted", "{ppslab-quiz} numa"),
    "the chapter ends with no": replaced(TASKS, "{ppslab-keys}", "{x}"),
    "lab planted has no quiz": gone("../../book/planted/quiz.yml"),
    "no block ```routeros of commands": replaced(ROUTER, "```routeros\n", "```\n"),
    "planted/measured.md has no such words": replaced(
        MEASURED, "Every packet is checked", "Packets are checked"
    ),
}


ALONE = (
    "condition plain: no routeros", "RouterOS has no counter 'made-up'", "task count-packets:",
    "no entry `file: notebooks/planted`", "what the reader will know",
    "planted/measured.md has no such words",
)  # fmt: skip
"""Faults that another of them hides; all others are planted in one lab."""
TOGETHER = tuple(name for name in PLANTED if name not in ALONE)


@pytest.mark.parametrize("faults", [TOGETHER, *((name,) for name in ALONE)], ids=str)
def test_each_rule_finds_what_is_planted(planted: Path, faults: tuple[str, ...]) -> None:
    for fault, change in PLANTED.items():
        if fault in faults:
            change(planted)
    told = [str(each) for each in found(planted)]
    assert [fault for fault in faults if not any(fault in each for each in told)] == []


def test_a_record_that_is_kept_is_enough_and_a_readers_own_is_not(
    planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "no run in results/"
    stored = [planted.parents[1] / "results" / "local" / "planted-x.json"]
    monkeypatch.setattr(results, "stored", lambda *_: stored)
    assert any(said in each.message for each in found(planted))
    stored.append(planted.parents[1] / "results" / "planted-x.json")
    assert not any(said in each.message for each in found(planted))


# --- the numbers of a lab ------------------------------------------------------------------------

FASTPATH, PPPOE = lab.find("fastpath"), lab.find("pppoe")
NUMBERS = published.load(FASTPATH)


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
        (one,) = [each for each in judged if each.id == claim]
        return next(r.verdict for r in (one, *one.others) if r.evidence == claims.EVENTS)

    assert verdict(CORES) == "holds on Linux"
    shares = {f"cpu{number}": count for number, count in enumerate(otherwise)}
    trials = tuple(
        trial.model_copy(update={"counters": trial.counters | shares})
        if trial.condition == condition
        else trial
        for trial in CORES.trials
    )
    assert verdict(CORES.model_copy(update={"trials": trials})) == "does not hold on Linux"
