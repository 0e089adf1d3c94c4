"""The offload table against the planner, against the lab's record, and between both hosts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppslab.course.models import offload_table
from ppslab.judge import costs
from ppslab.model.switch_chip import chips, offload, routes
from ppslab.model.switch_chip.route_table import Run, run_of
from ppslab.model.switch_chip.routes import Prefix, Route
from tests.course.models.both import ask, begins_with, known
from tests.support import excerpts

TOWARDS = routes.prefix("198.19.0.0/16")
WAYS = (
    "via 198.18.2.2",
    "via 198.18.2.3",
    "gateway=" + ",".join(f"198.18.2.{n}" for n in range(9)),
)


@st.composite
def tables(draw: st.DrawFn) -> str:
    """Lines of a table; many of them lie in one another."""
    lines = []
    for _ in range(draw(st.integers(1, 12))):
        if draw(st.integers(0, 4)) == 0:
            length = draw(st.integers(49, 64))
            start = 0x20010002 << 96 | draw(st.integers(0, 15)) << 68
            first = Prefix(6, start >> (128 - length) << (128 - length), length)
        else:
            length = draw(st.integers(12, 32))
            start = 198 << 24 | 19 << 16 | draw(st.integers(0, 65535))
            first = Prefix(4, start >> (32 - length) << (32 - length), length)
        count = draw(st.sampled_from([1, 1, 2, 3, 40]))
        kind = draw(st.sampled_from(["", "", "blackhole ", "unreachable "]))
        lines.append(f"{kind}{first} x{count} {'' if kind else draw(st.sampled_from(WAYS))}")
    return "\n".join(lines)


def expanded(run: Run) -> list[Route]:
    return [
        Route(Prefix(run.family, run.address + i * run.step, run.length), run.kind, run.hops)
        for i in range(run.count)
    ]  # type: ignore[arg-type]


@pytest.mark.long
@settings(max_examples=150, deadline=None)
@given(text=tables(), room=st.integers(1, 120), ipv6=st.booleans(), hosts=st.integers(0, 9))
def test_any_table_is_what_the_planner_says(text: str, room: int, ipv6: bool, hosts: int) -> None:
    chip = chips.Chip("small", ("S",), room, max(room // 3, 1), 0, None, 8, 0, 0, False, "")
    every = [r for line in text.splitlines() if (run := run_of(line, 99)) for r in expanded(run)]
    wanted = offload.choose(every, chip, ipv6_hw=ipv6, hosts=hosts)
    row = ["small", "", "small", ["S"], room, chip.takes(6), 0, 8]
    inputs = {"chip": "small", "routes": text, "filled": offload_table.STEPS, "hosts": hosts,
              "ipv6": ipv6, "towards": str(TOWARDS)}  # fmt: skip
    found = offload_table.answer(inputs, {"chips": [row]})["values"]
    assert (found["hardware"], found["cpu"]) == (len(wanted.hardware), len(wanted.cpu))
    assert found["used"] == wanted.used
    assert found["share"] == pytest.approx(offload.share_of_cpu(wanted, TOWARDS))
    assert sorted(map(tuple, found["lengths"])) == sorted(
        (f"IPv{family} /{length}", there, left) for family, length, there, left in wanted.lengths()
    )


def test_the_lab_has_measured_what_the_widget_says() -> None:
    record = excerpts.record(excerpts.CHIP)
    examples = dict(known("offload-table")["examples"])
    for label, condition in (
        ("the lab: as many as fit", "offload-12288-routes"),
        ("the lab: 1024 too many", "offload-14336-routes"),
    ):
        values = ask("offload-table", **examples[label])["values"]
        share = costs.counter_shares(record, condition, 64)["chip to the CPU"]
        assert values["share"] == pytest.approx(share.estimate, abs=0.02)
    assert share.estimate > 0.1


def test_a_step_configures_a_part_of_the_routes() -> None:
    values = ask("offload-table", filled=10)["values"]
    assert values["hardware"] + values["cpu"] == 14338 // 2
    # What is in hardware never shrinks here: each of these lines is of shorter prefixes.
    assert values["cpu"] == 0
    assert ask("offload-table", filled=0)["values"]["share"] == 1
    assert begins_with("offload-table")["filled"] == offload_table.STEPS


def test_the_monitor_has_the_words_of_routeros() -> None:
    answer = ask("offload-table", **dict(known("offload-table")["examples"])["IPv6 beside IPv4"])
    shown = dict(answer["tables"][0]["rows"])
    assert shown["ipv6-routes-hw"] == "3000"
    # What four IPv4 prefixes take, 3000 times, leaves 1303 beside nine neighbours.
    assert shown["ipv4-routes-hw"] == "1303"
    assert shown["ipv4-shortest-hw-prefix"] == "28"
    assert any("does not say" in said for said in answer["warns"])


@pytest.mark.parametrize(
    ("where", "text"),
    [*(("routes", text) for text in ("hello", "\n198.19.0.1/16 via 198.18.2.2", "# nothing",
                                     "10.0.0.0/30 x999999999")),
     ("towards", "198.19.0.0/33"), ("towards", "")],
)  # fmt: skip
def test_what_cannot_be_read_is_told(where: str, text: str) -> None:
    assert ask("offload-table", **{where: text})["problem"]["input"] == where
