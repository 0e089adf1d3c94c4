"""What a kernel counted between two moments, from what its files said then."""

from __future__ import annotations

from ppslab.measure import kernel_counters
from ppslab.model import results

PORTS = ("eth1", "eth2")
BEFORE = """10
1000
20
2000
1
2
5
500
7
700
0
0
##
00000064 00000005 00000002 0 0 0 0 0 0 0 0 0 00000000
0000000a 00000000 00000000 0 0 0 0 0 0 0 0 0 00000003
##
cpu  100 0 50 800 0 0 0 50 0 0
cpu0 60 0 50 300 0 0 20 0 0 0
cpu3 40 0 0 500 0 0 0 50 0 0
intr 1 2 3
##
          CPU0       CPU3
    TIMER:    100        200
   NET_RX:   1000         50
"""
AFTER = (
    BEFORE.replace("10\n1000\n20\n2000\n1\n", "110\n9000\n26\n2600\n4\n")
    .replace("00000064 00000005", "00000164 00000015")
    .replace("60 0 50 300 0 0 20", "70 0 50 385 0 0 25")
    .replace("500 0 0 0 50", "500 0 0 0 60")
    .replace("  1000  ", "  1500  ")
)


def test_a_transfer_s_packets_drops_and_busy_cpus() -> None:
    before, after = (kernel_counters.parse(text, PORTS) for text in (BEFORE, AFTER))
    counts = after.router_counts(before)
    assert (counts.packets, counts.bytes, counts.port_drops) == (100, 8000, 3)
    assert counts.links["eth1"] == results.LinkCounts(
        rx_packets=100, rx_bytes=8000, tx_packets=6, tx_bytes=600
    )
    assert counts.links["eth2"].rx_packets == 0
    assert counts.dropped == {"0": 16, "3": 0}
    # All that CPU 3 spent, the hypervisor took.
    assert after.stolen(before) == ({0: 0, 3: 10}, 1.0)
    # CPU 0 worked 15 of its 100 ticks; of CPU 3's ten none was idle.
    assert counts.busy == {"0": 0.15, "3": 1.0}


def test_a_kernel_before_5_10_does_not_number_its_cpus() -> None:
    text = "##\n00000001 00000007 0\n00000002 00000008 0\n##\ncpu 1 1 1 1 1 1 1 1\n##\n"
    assert kernel_counters.parse(text).softnet == {0: (1, 7, 0), 1: (2, 8, 0)}
