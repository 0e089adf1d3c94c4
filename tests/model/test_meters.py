"""Which meter counts which bytes: the file, and what it says of the published numbers."""

from __future__ import annotations

import doctest

import pytest

from ppslab.core.units import line_rate
from ppslab.model import meters
from ppslab.model.lab import lab, published


def test_the_examples_in_the_module_are_right() -> None:
    assert doctest.testmod(meters).failed == 0


@pytest.mark.parametrize(
    ("meter", "of_64", "of_1518"),
    [
        ("wire", 84, 1538),
        ("routeros-interface", 64, 1518),
        ("routeros-driver", 60, 1514),
        ("routeros-generator", 60, 1514),
        ("routeros-btest-set", 46, 1500),
        ("routeros-btest-said", 18, 1472),
        # The manual, Bandwidth Test (read 2026-08-09): IP, UDP and data; with TCP the data only.
        ("routeros-btest-udp", 46, 1500),
        ("routeros-btest-tcp", 6, 1460),
        ("linux-interface", 60, 1514),
        ("linux-nft", 46, 1500),
    ],
)
def test_what_each_meter_counts(meter: str, of_64: int, of_1518: int) -> None:
    found = meters.load()[meter]
    assert (found.counted(64), found.counted(1518)) == (of_64, of_1518)


def test_a_full_gigabit_wire_is_a_gigabit_by_the_meter_of_the_wire_only() -> None:
    rate = line_rate(64, 1e9)
    shown = {m.id: rate * m.counted(64) * 8 for m in meters.load().values()}
    assert shown["wire"] == pytest.approx(1e9)
    assert max(other for name, other in shown.items() if name != "wire") < 0.77e9


def test_the_bits_in_the_tables_of_mikrotik_count_frames_with_their_check_sequence() -> None:
    """Every row of the CCR1036: the meter is read off the numbers themselves."""
    rows = published.load(lab.find("fastpath"))
    pairs = [(rows[name], rows[f"{name}-bits"]) for name in rows if f"{name}-bits" in rows]
    ours = [(p, b) for p, b in pairs if p.hardware.startswith("CCR1036")]
    assert len(ours) == 15
    for packets, bits in ours:
        assert packets.frame_size is not None
        each = meters.bytes_each(float(bits.value) * 1e6, float(packets.value) * 1e3)
        found = [m.id for m in meters.counting(each, packets.frame_size)]
        assert found == ["ppslab", "routeros-tables", "routeros-interface"], packets.id
