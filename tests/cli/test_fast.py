"""`ppslab fast`: a device's published speed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Inside
from tests.course.models.test_results_table import TABS


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["hex"], ["RB750Gr3", "265.2 Mbit/s", "64.7 kpps", "1820.3 Mbit/s"]),
        (["RB5009", "--mbit", "1000"], ["3100 Mbit/s"]),
        (["RBM33G"], ["hEX"]),
        (["hEX", "--tunnel", "ipsec"], ["469.3 Mbit/s"]),
        (["RB5009", "--tunnel", "wireguard"], ["1400 Mbit/s"]),
        (["CCR2004"], ["CCR2004-16G-2S+", "CCR2004-1G-12S+2XS", "4600", "not in our copies"]),
        (["CCR2116"], ["mikrotik.com/product/ccr2116_12g_4splus", "1200 Mbit/s"]),
        (["hex"], ["between 385.4 and 1820.3 Mbit/s", "thread 1122079"]),
        (["hEX", "--mbit", "300"], ["counts twice"]),
    ],
)
def test_answers(inside: Inside, words: list[str], says: list[str]) -> None:
    done = inside("fast", *words)
    assert done.returncode == 0, done.stderr
    for part in says:
        assert part in done.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["hexx"], 'did you mean "hex"'),
        (["--results", "x.txt"], "need the DEVICE"),
        (["--mbit", "1000"], "need the DEVICE"),
        (["hEX", "--mbit", "0"], "1 to 9999999"),
        (["hEX", "--mbit", "1e7"], "1 to 9999999"),
        (["hEX", "--mbit", "nan"], "1 to 9999999"),
    ],
)
def test_refusals(inside: Inside, words: list[str], says: str) -> None:
    done = inside("fast", *words)
    assert done.returncode == 2 and says in done.stderr


def test_the_results_of_a_file_come_before_ours(inside: Inside, tmp_path: Path) -> None:
    pasted = tmp_path / "results.txt"
    pasted.write_text(TABS, encoding="utf-8")
    done = inside("fast", "RB1100Dx4", "--results", str(pasted))
    assert "25 filter rules, 512 bytes: 1679.4 Mbit/s" in done.stdout
    wrong = inside("fast", "hEX", "--results", str(pasted))
    assert wrong.returncode == 2 and "RB1100AHx4 Dude" in wrong.stderr
    pasted.write_text(TABS.replace("1679.4", "1697.4"), encoding="utf-8")
    refused = inside("fast", "RB1100Dx4", "--results", str(pasted))
    assert refused.returncode == 2 and "results.txt:7: Routing, 25 ip filter" in refused.stderr
