"""`ppslab fast`: a device's published speed, and the devices for a need."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Inside


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["hex"],
            ["RB750Gr3", "265.2 Mbit/s", "64.7 kpps", "1820.3 Mbit/s"],
        ),
        (["RB5009", "--mbit", "1000"], ["3100 Mbit/s"]),
        (["hEX", "--rules", "0", "--size", "64"], ["529.9 Mbit/s"]),
        (["RBM33G"], ["hEX"]),
        (["hEX", "--tunnel", "ipsec"], ["469.3 Mbit/s", "AES-GCM"]),
        (["RB5009", "--wireguard"], ["1400 Mbit/s"]),
        (["--need", "1000", "--rules", "25"], ["RB5009UG+S+IN", "hAP ax²"]),
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
        (["CRS326"], "CRS326-24G"),
        (["hEX", "--size", "100"], "64, 512, 1518"),
        (["hEX", "--need", "1000"], "either DEVICE or --need"),
        (["--mbit", "1000"], "--need"),
        (["hEX", "--rules", "-1"], "a number from 0 on"),
        (["--need", "0"], "1 to 9999999"),
        (["--need", "nan"], "1 to 9999999"),
    ],
)
def test_refusals(inside: Inside, words: list[str], says: str) -> None:
    done = inside("fast", *words)
    assert done.returncode == 2 and says in done.stderr


def test_a_need_as_data(inside: Inside) -> None:
    done = json.loads(inside("fast", "--need", "1000", "--rules", "25", "--json").stdout)
    names = {
        answer: [each["device"] for each in done[answer]]
        for answer in ("enough", "too slow", "not published")
    }
    assert names["enough"][-1] == "RB5009UG+S+IN"
    assert names["too slow"][0] == "hAP ax²"
    assert "RBM33G" in names["not published"]
    least = [each["asked"][0]["published"]["mbps"] for each in done["enough"]]
    assert least == sorted(least)


def test_a_device_as_data(inside: Inside) -> None:
    done = json.loads(inside("fast", "hEX", "--mbit", "300", "--json").stdout)
    assert (done["code"], done["answer"]) == ("RB750Gr3", "too slow")
    assert done["asked"][0]["published"]["year"] == 2025
    assert all(row["source"] for row in done["results"])
