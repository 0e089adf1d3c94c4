"""`ppslab plan queues`: queues of a guest's virtual cards, in the words of four hypervisors."""

from __future__ import annotations

import pytest

from ppslab.core.errors import UsageError
from ppslab.model.planning import queues


@pytest.mark.parametrize(
    ("cpus", "ports", "vectors", "threads", "memory"),
    [(1, 1, 4, 1, 64), (2, 1, 6, 2, 128), (4, 2, 10, 8, 512), (64, 3, 130, 192, 12288)],
)
def test_a_queue_for_each_cpu_and_what_they_take(
    cpus: int, ports: int, vectors: int, threads: int, memory: int
) -> None:
    made = queues.plan(cpus, ports)
    assert (made.queues, made.vectors) == (cpus, vectors)
    assert (made.threads, made.memory_kib) == (threads, memory)


def test_the_lines_for_esxi_name_no_number_of_queues() -> None:
    """There the guest's driver asks for them; the settings have the host spread what comes in."""
    made = queues.plan(4, 2)
    lines = queues.lines(made, "esxi")
    assert lines[:4] == (
        'ethernet0.virtualDev = "vmxnet3"',
        'ethernet0.pnicFeatures = "4"',
        'ethernet0.udpRSS = "1"',
        'ethernet0.ctxPerDev = "3"',
    )
    assert [line.replace("ethernet1", "ethernet0") for line in lines[4:]] == list(lines[:4])
    said = " ".join(queues.sentences(made, "esxi"))
    assert "vhost" not in said
    assert said.count("Source: ") == 5
    for name in ("proxmox", "libvirt", "qemu"):
        assert "(vhost)" in " ".join(queues.sentences(made, name))
    with pytest.raises(UsageError, match=r"12 .*esxi.* 8"):
        queues.lines(queues.plan(12, 1), "esxi")


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(UsageError, match=r"--for proxmo: .*\"proxmox\""):
        queues.lines(queues.plan(4, 1), "proxmo")
    with pytest.raises(UsageError, match="64"):
        queues.plan(65, 1)
