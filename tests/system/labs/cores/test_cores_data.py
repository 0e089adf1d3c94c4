"""The lab of cores: CPUs and queues that its conditions did not get are seen in the read-back.

The excerpt of a record holds what a kernel answered for each condition; each answer is put in the
place of another's.
"""

from __future__ import annotations

import pytest

from ppslab.judge import claims, spread
from ppslab.model.lab import lab
from ppslab.model.lab.conditions import Condition, PortQueues
from ppslab.model.results import Record
from ppslab.testbed.routers.linux import steering
from ppslab.testbed.routers.linux.deployed import Deployed
from ppslab.testbed.routers.linux.read_back import State, compare
from tests.support import excerpts

LAB = lab.find("cores")
PORTS = list(LAB.spec.ports.values())
# A network card has queues by itself, a virtual wire none.
CARD = frozenset({"mq", "fq_codel"})
BARE = Deployed(links={}, routes=(), neighbours=(), queues={"eth4": CARD})
RECORD = excerpts.record(excerpts.CORES)
ANSWERED = {each.name: each.read_back for each in RECORD.conditions if each.read_back}
CARRYING = {"one-core": "1", "two-cores": "2", "three-cores": "3", "four-cores": "4",
            "four-cores-1": "1", "four-cores-tunnel": "1", "core-a-port": "2", "core-a-port-1": "1",
            "two-cores-of-1": "1", "two-cores-of-2": "1", "two-cores-of-3": "2",
            "two-cores-of-6": "2", "pfifo": "4", "mq-pfifo": "4",
            "card-one-queue": "1", "card-four-queues": "4", "card-four-queues-1": "1"}  # fmt: skip


def problems(wanted: Condition, answer: str) -> list[str]:
    """What the read-back of `wanted` says to an answer."""
    state = State.of(answer, PORTS)
    listing = State.of(ANSWERED[wanted.name], PORTS).rules
    return list(
        compare(wanted.linux, state, ports=PORTS, deployed=BARE, listing=listing, bpf_mode="tc")
    )


def ports_of(condition: Condition) -> dict[str, PortQueues]:
    """What the condition makes of every port."""
    return {port: condition.linux.port_queues.get(port, PortQueues()) for port in PORTS}


def test_the_excerpt_has_an_answer_for_every_condition() -> None:
    assert ANSWERED.keys() == LAB.conditions.keys(), "support/excerpts.py: take a newer record"


@pytest.mark.parametrize("condition", LAB.conditions.values(), ids=lambda each: each.name)
def test_cpus_and_queues_of_another_condition_are_seen(condition: Condition) -> None:
    assert problems(condition, ANSWERED[condition.name]) == []
    mine = condition.linux.port_queues
    for other in LAB.conditions.values():
        part = State.of(ANSWERED[other.name], PORTS).parts[steering.HEADING]
        theirs = [line for line in part.splitlines() if line.split()[0] in mine]
        found = list(steering.problems(mine, "\n".join(theirs)))
        asked = set(mine) <= set(other.linux.port_queues)
        if asked:
            differ = any(mine[port] != other.linux.port_queues[port] for port in mine)
            assert bool(found) == differ, (condition.name, other.name, found)


def test_a_port_without_an_answer_and_one_queue_too_few_are_seen() -> None:
    wanted = {"eth2": PortQueues(cpus=(0, 3), transmit=2)}
    assert list(steering.problems(wanted, "eth2 rx-0 9\neth2 tx-0\neth2 tx-1\n")) == []
    assert "sends by 1" in next(iter(steering.problems(wanted, "eth2 rx-0 9\neth2 tx-0\n")))
    assert len(list(steering.problems(wanted, ""))) == 2
    wide = "eth2 rx-0 00000000,00000009\neth2 tx-0\neth2 tx-1\n"
    assert list(steering.problems(wanted, wide)) == []


ONE = "eth4 rx-0 0\neth4 tx-0\neth4 combined 4\neth4 combined 1\n"
FOUR = "".join(f"eth4 rx-{n} 0\neth4 tx-{n}\n" for n in range(4)) + "eth4 combined 4\n" * 2


def test_a_card_that_uses_other_queues_than_it_should_is_seen() -> None:
    """`ethtool -l` says what the card has, and then what is in use: the latter counts."""
    one, four = ({"eth4": PortQueues(combined=number)} for number in (1, 4))
    assert list(steering.problems(one, ONE)) == list(steering.problems(four, FOUR)) == []
    assert "card eth4 uses 1 queues, not 4" in list(steering.problems(four, ONE))
    assert "card eth4 uses 4 queues, not 1" in list(steering.problems(one, FOUR))
    assert list(steering.problems(four, FOUR.replace("rx-2 0", "rx-2 f"))) == [
        "port eth4: CPUs f take what it receives, not 0 (masks)"
    ]
    assert "card eth4 uses no queues, not 4" in list(steering.problems(four, ""))


def test_the_next_condition_finds_a_card_with_one_queue() -> None:
    lines = steering.take({"eth4": PortQueues(combined=4), "eth1": PortQueues(cpus=(1, 2))})
    assert "ethtool -L eth4 combined 1" in lines
    assert "ethtool -L eth1 tx 1" in lines and "echo 0 >/sys/class/net/eth1" in lines


def test_as_many_cpus_carry_as_the_streams_let() -> None:
    """Thirty streams fall as dice do: a CPU may get one or two of them, which is no tenth."""
    carrying = {row[0].content: row[1].content for row in spread.table(RECORD).rows}
    assert carrying.pop("four-cores-30") in ("3", "4")
    assert carrying == CARRYING


@pytest.mark.parametrize(
    ("claim", "condition", "otherwise"),
    [
        ("one-queue-of-a-virtual-card-is-one-core", "card-one-queue", (25, 25, 25, 25)),
        ("a-queue-for-each-virtual-cpu-uses-them-all", "card-four-queues", (100, 0, 0, 0)),
        (
            "many-connections-need-many-queues-and-one-does-not",
            "card-four-queues-1",
            (50, 50, 0, 0),
        ),
    ],
)
def test_a_claim_on_the_card_differs_by_other_counts(
    claim: str, condition: str, otherwise: tuple[int, ...]
) -> None:
    def verdict(record: Record) -> str:
        judged = claims.judge_all(LAB, claims.Runs.of(record, None))
        return next(each.verdict for each in judged if each.id == claim)

    assert verdict(RECORD) == "agrees in size"
    shares = {f"cpu{number}": count for number, count in enumerate(otherwise)}
    trials = tuple(
        trial.model_copy(update={"counters": trial.counters | shares})
        if trial.condition == condition
        else trial
        for trial in RECORD.trials
    )
    assert verdict(RECORD.model_copy(update={"trials": trials})) == "differs"
