"""The lab of cores: CPUs and queues that its conditions did not get are seen in the read-back.

The excerpt of a record holds what a kernel answered for each condition; each answer is put in the
place of another's.
"""

from __future__ import annotations

import pytest

from ppslab.analysis import spread
from ppslab.lab import lab
from ppslab.lab.conditions import Condition, PortQueues
from ppslab.routers.linux import steering
from ppslab.routers.linux.deployed import Deployed
from ppslab.routers.linux.read_back import State, compare
from tests.support import excerpts

LAB = lab.find("cores")
PORTS = list(LAB.spec.ports.values())
BARE = Deployed(links={}, routes=(), neighbours=(), queues={})
RECORD = excerpts.record(excerpts.CORES)
ANSWERED = {each.name: each.read_back for each in RECORD.conditions if each.read_back}
CARRYING = {"one-core": "1", "two-cores": "2", "three-cores": "3", "four-cores": "4",
            "four-cores-1": "1", "four-cores-tunnel": "1", "core-a-port": "2", "core-a-port-1": "1",
            "two-cores-of-1": "1", "two-cores-of-2": "1", "two-cores-of-3": "2",
            "two-cores-of-6": "2", "pfifo": "4", "mq-pfifo": "4"}  # fmt: skip


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


def test_as_many_cpus_carry_as_the_streams_let() -> None:
    """Thirty streams fall as dice do: a CPU may get one or two of them, which is no tenth."""
    carrying = {row[0].content: row[1].content for row in spread.table(RECORD).rows}
    assert carrying.pop("four-cores-30") in ("3", "4")
    assert carrying == CARRYING
