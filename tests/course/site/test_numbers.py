"""Numbers in sentences: calculated from published rates and recorded costs; commands in colour."""

from __future__ import annotations

import re

import pytest
from pygments.token import Number

from ppslab.core.errors import UsageError
from ppslab.course.site.directives import worked
from ppslab.course.site.directives.devices import ShellLexer
from ppslab.course.site.directives.numbers import number
from ppslab.course.site.directives.sources import Source
from ppslab.judge import goodput
from ppslab.model import results
from ppslab.model.lab import lab as labs
from tests.support.factory import make_record

SOURCE = Source(labs.find("fastpath"), make_record())
FAST, RULED = "hex-routing-fast-path-64", "hex-routing-25-ip-filter-rules-64"
CORES = "ccr1036-routing-25-ip-filter-rules-512"


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (f"time {FAST}", "0.97 µs"),  # 1 / 1035.0 kpps
        (f"time {RULED} - {FAST} / 25", "0.39 µs"),
        (f"percent {RULED} {FAST}", "9.1 %"),
        (f"rate {CORES} / 36", "94 kpps"),  # 3392.9 / 36
        (f"rate {CORES}-bits / 36", "386 Mbit/s"),
        ("busiest 1 4", "100 %"),
        (f"rate {CORES} - {CORES}", None),
        (f"time {FAST} {FAST}", None),
        ("time rb1100-bridging-64-intended", None),
        ("cost routing-plain 64", None),
    ],
)
def test_a_worked_number(words: str, shown: str | None) -> None:
    if shown is None:
        with pytest.raises(UsageError):
            worked.number(SOURCE, words.split())
    else:
        assert worked.number(SOURCE, words.split())[0] == shown


def test_costs_are_added_up_and_divided() -> None:
    def cost(words: str) -> float:
        return float(worked.of_costs(SOURCE, words.split())[0].split()[0].replace("\u202f", ""))

    plain, fast = cost("1 routing-plain 64"), cost("1 routing-fast-path 64")
    both = cost("3 routing-plain -1 routing-fast-path 64 / 2")
    assert both == pytest.approx((3 * plain - fast) / 2, rel=0.01)
    without = Source(SOURCE.lab, None)
    assert worked.of_costs(without, ["1", "routing-plain", "64"])[0] == worked.NO_RUN


def test_a_ratio_of_goodputs_is_the_newest_tcp_runs_and_at_least_as_wide_as_its_noise() -> None:
    source = Source(labs.find("eoip"), None)
    shown, interval, said = number(source, ["goodput", "eoip", "eoip-fragments"])
    path = results.newest_path_of(results.TcpRecord, "eoip")
    assert path is not None
    record = results.load_as(path, results.TcpRecord)
    ratio = goodput.ratio(record, "eoip", "eoip-fragments", "there")
    low, high = map(float, re.findall(r"[\d.]+(?=\s|$)", interval.partition(":")[2]))
    assert float(shown) == pytest.approx(ratio.estimate, rel=0.01)
    assert low <= ratio.low < ratio.high <= high
    assert said == record.provenance().sentence
    with pytest.raises(UsageError):
        number(source, ["goodput", "eoip", "no-such"])


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        ("ping -c 3 198.18.2.2", ["3", "198.18.2.2"]),
        ("ip route add 198.18.2.0/24 via 198.18.1.1", ["198.18.2.0/24", "198.18.1.1"]),
        ("ping 2001:2::1", ["2001:2::1"]),
        ("taskset -c 2,3 sleep 09:00", ["2,3", "09:00"]),
        ("ip link set eth1.10 mtu 1500; ls /tmp/1.2", ["1500"]),
    ],
)
def test_an_address_is_one_number(line: str, numbers: list[str]) -> None:
    tokens = list(ShellLexer().get_tokens(line))
    assert "".join(text for _, text in tokens) == f"{line}\n"
    assert [text for kind, text in tokens if kind in Number] == numbers
