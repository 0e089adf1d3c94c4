"""The CPUs and queues of a port, as the kernel lists them, compared with those of a condition."""

from __future__ import annotations

import pytest

from ppslab.model.lab.conditions import PortQueues
from ppslab.testbed.routers.linux import steering

WANTED = {"eth2": PortQueues(cpus=(0, 3), transmit=2)}


@pytest.mark.parametrize(
    ("answer", "count"),
    [
        ("eth2 rx-0 9\neth2 tx-0\neth2 tx-1\n", 0),
        # A machine of more than 32 CPUs has masks of several words.
        ("eth2 rx-0 00000000,00000009\neth2 tx-0\neth2 tx-1\n", 0),
        ("eth2 rx-0 9\neth2 tx-0\n", 1),
        ("eth2 rx-0 1\neth2 tx-0\neth2 tx-1\n", 1),
        ("", 2),
    ],
)
def test_a_port_with_other_cpus_or_queues_is_seen(answer: str, count: int) -> None:
    assert len(list(steering.problems(WANTED, answer))) == count


def test_the_next_condition_finds_a_card_with_one_queue() -> None:
    lines = steering.take({"eth4": PortQueues(combined=4), "eth1": PortQueues(cpus=(1, 2))})
    assert "ethtool -L eth4 combined 1" in lines
    assert "ethtool -L eth1 tx 1" in lines and "echo 0 >/sys/class/net/eth1" in lines
