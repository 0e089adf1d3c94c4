"""The count in the page against QEMU's: how rounds become figures, and what was kept of them."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest

from ppslab.course.site.directives import page_router_counts
from ppslab.testbed.backends.page_router.against import emulated
from ppslab.testbed.backends.page_router.against.emulated import Mark

MOST_OFF = 0.05


def marks(what: str, packet: int, step: int) -> list[Mark]:
    """Bursts of three lengths, each with a start of its own, as a machine marks them."""
    at, steps, found = 1000, 10, []
    for packets in (100, 500, 1500):
        found.append(Mark(what, packets, at, steps))
        at += 70_000 + packets * packet
        steps += 900 + packets * step
        found.append(Mark(what, packets, at, steps))
        at += 5_000_000
    return found


def test_a_packet_is_what_the_longer_burst_takes_more() -> None:
    found = emulated.round_of([*marks("routed", 5000, 1500), *marks("dropped", 3000, 20)])
    assert found == (5000, 3000, 1500, 20)


def test_what_came_through_though_it_was_to_be_dropped_is_seen() -> None:
    assert not emulated.escaped("10\n2110\n2110\n")
    assert emulated.escaped("10\n2110\n4210\n")


def test_the_kept_counts_agree_where_a_string_instruction_is_one() -> None:
    counted = page_router_counts.counts()
    labs = {each.lab for each in counted.conditions}
    assert labs == {"fastpath", "fasttrack"}
    assert counted.farthest < MOST_OFF
    # Without leaving the steps out, they are far apart: it is this that explains it.
    plain = counted.conditions[0]
    assert plain.condition == "routing-plain"
    assert (plain.once + plain.steps) / plain.page > 1.2


@pytest.mark.parametrize(
    ("code", "is_string"),
    [
        (b"\xf3\xaa", True),  # rep stos %al
        (b"\x66\xf3\xa5", True),  # rep movs, 16 bits
        (b"\xa5", False),  # one movs
        (b"\xf3\x0f\xb8\xc0", False),  # popcnt, whose first byte looks like rep
        (b"\xf3\x90", False),  # pause
    ],
)
def test_the_plugin_knows_a_string_instruction(
    tmp_path: Path, code: bytes, is_string: bool
) -> None:
    plugin = Path(emulated.__file__).with_name("instructions.c")
    data = ", ".join(map(str, struct.unpack(f"{len(code)}B", code)))
    (tmp_path / "try.c").write_text(
        f'#include "{plugin}"\n'
        f"int main(void) {{ const uint8_t code[] = {{{data}}}; "
        "return is_string(code, sizeof code); }\n",
        encoding="utf-8",
    )
    program = tmp_path / "try"
    # What calls QEMU is left out.
    link = ["-ffunction-sections", "-Wl,--gc-sections", "-o", str(program)]
    subprocess.run(["gcc", str(tmp_path / "try.c"), *link], check=True)
    assert subprocess.run([program], check=False).returncode == int(is_string)
