"""MikroTik's devices: what a name finds, and that each published figure has its place."""

import re
import shutil
import statistics
from pathlib import Path
from typing import Any

import pytest
import yaml

from ppslab.core import documents
from ppslab.core.errors import FileError, UsageError
from ppslab.model import device_choice, devices
from ppslab.model.device_choice import (
    ENOUGH,
    FAST_PATH,
    FASTTRACK,
    QUEUES,
    RULES,
    TOO_SLOW,
    UNPUBLISHED,
)
from ppslab.model.devices import needs
from ppslab.show import device_tables
from rosexplain import published

NAMES = yaml.safe_load(Path(__file__).with_name("names.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", NAMES, ids=lambda case: case["name"])
def test_a_name_finds_its_device(case: dict[str, Any]) -> None:
    if "code" in case:
        assert devices.find(case["name"]).code == case["code"]
        return
    if case.get("several"):
        assert len(devices.matching(case["name"])) > 1
    answer = "choose one: " if case.get("several") else "no device"
    with pytest.raises(UsageError, match=answer):
        devices.find(case["name"])


def test_the_explainer_and_the_tables_call_a_configuration_the_same() -> None:
    for configuration, words in published.ROUTING:
        assert words == devices.with_words(configuration)


def test_every_device_is_found_by_its_name_and_code() -> None:
    for device in devices.load():
        assert devices.find(device.name) == devices.find(device.code) == device


def test_a_device_answers_with_both_years_the_newest_first() -> None:
    rows = devices.find("hex").results("Routing", devices.RULES)
    at_512 = [(row.year, row.mbps, row.quality) for row in rows if row.frame_bytes == 512]
    assert at_512 == [(2025, 265.2, "quoted"), (2018, 385.4, "table")]


def test_a_figure_has_a_source_and_its_two_rates_agree() -> None:
    for row in (*devices.results(), *devices.measurements()):
        assert row.source.title and (row.source.address or row.source.date), row
        assert row.quality in devices.QUALITIES and (row.kpps or row.mbps), row
        if row.frame_bytes and row.kpps and row.mbps:
            mbps = row.kpps * row.frame_bytes * 8 / 1000
            assert row.mbps == pytest.approx(mbps, rel=0.01, abs=0.5), row


PRINTED = [
    row for row in documents.read_csv(devices.FOLDER / "measurements.csv")
    if "sent=" in row["printed"] or "'pps':" in row["printed"]
]  # fmt: skip


@pytest.mark.parametrize("row", PRINTED, ids=lambda row: f"{row['configuration']}-{row.line}")
def test_a_measured_rate_is_the_printed_one(row: documents.Row) -> None:
    """Of trials that print what was sent and lost, it is the mean of what arrived."""
    trials = [
        int(sent) * (1 - int(lost) / 1e6)
        for sent, lost in re.findall(r"sent=(\d+) ppm=(\d+)", row["printed"])
    ]
    pps = statistics.mean(trials) if trials else float(row["printed"].rpartition(" ")[2])
    assert float(row["kpps"]) == pytest.approx(pps / 1000, rel=0.002)


OTHER_MODES = {"256 tunnels", "IPsec", "Single tunnel", "Switching"}


def test_each_figure_of_mikrotik_has_a_mode_of_its_tables() -> None:
    """A misspelt mode would stand in a row of its own, and nobody would find the figure."""
    assert {row.mode for row in devices.results()} <= {"Bridging", "Routing", *OTHER_MODES}


def test_a_routed_figure_has_a_configuration_and_a_size_of_the_tables() -> None:
    for row in (row for row in devices.results() if row.mode in ("Bridging", "Routing")):
        assert row.configuration in (*devices.CONFIGURATIONS, devices.NOT_NAMED), row
        assert row.frame_bytes in (64, 512, 1518, None), row


def test_the_class_and_its_relatives() -> None:
    mini = devices.find("hEX S")
    assert mini.cpu_class == "MT7621A, 2 cores, 880 MHz"
    assert devices.find("hEX") in mini.relatives
    assert mini not in mini.relatives


@pytest.mark.parametrize("ports", ["5xG", "five"])
def test_ports_that_cannot_be_read_are_named_by_their_line(
    ports: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(devices.FOLDER, tmp_path / "devices"))
    file = folder / "devices.csv"
    text = file.read_text(encoding="utf-8") + f"hEX new,X1,ARM,Z,2,880,,{ports},,,,matrix-2026-10\n"
    file.write_text(text, encoding="utf-8")
    monkeypatch.setattr(devices, "FOLDER", folder)
    with pytest.raises(FileError, match=rf"devices\.csv:{len(text.splitlines())}: ports '{ports}'"):
        devices.load.__wrapped__()


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("kind", "Wireguard", 'kind .Wireguard. .did you mean "WireGuard".'),
        ("at_least", "maybe", "at_least .maybe."),
        ("mbps", "", "no rate"),
    ],
)
def test_a_measurement_that_no_answer_would_find_is_named_by_its_line(
    column: str, value: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(devices.FOLDER, tmp_path / "devices"))
    file = folder / "measurements.csv"
    text = file.read_text(encoding="utf-8")
    columns = dict.fromkeys(text.partition("\n")[0].split(","), "") | {
        "code": "RB750Gr3", "kind": "WireGuard", "frame_bytes": "1518", "mbps": "700",
        "at_least": "no", "quality": "reported", "source": "tum-2015", column: value,
    }  # fmt: skip
    text += ",".join(columns.values()) + "\n"
    file.write_text(text, encoding="utf-8")
    monkeypatch.setattr(devices, "FOLDER", folder)
    with pytest.raises(FileError, match=rf"measurements\.csv:{len(text.splitlines())}: {says}"):
        devices.measurements.__wrapped__()


ASKED = [
    "RB5009", "hEX", "hAP ax3", "hAP ax2", "CCR2004", "cAP ac", "CCR2116", "hEX S", "CRS310",
    "cAP ax", "RB4011", "CRS309", "CCR2216", "Audience", "CRS326-24G", "CHR", "RB3011", "hAP ac2",
    "CCR1036", "hEX refresh", "Chateau LTE", "wAP ax", "CCR1009", "SXT", "CRS312",
]  # fmt: skip
"""The devices of most threads on speed."""


@pytest.mark.parametrize("name", ASKED)
def test_what_is_asked_about_most_has_a_figure_or_a_place_to_look(name: str) -> None:
    for device in devices.matching(name):
        figures = (*device.results(), *device.measurements)
        assert figures or device.product_page.startswith("https://mikrotik.com/product")


# --- which published figure answers a need: enough, too slow, or not published --------------------

CASES = [
    ("hEX", [RULES], (200,), ENOUGH),
    ("hEX", [RULES], (300,), TOO_SLOW),  # the newer figure, not the table of 2018
    ("hEX", [QUEUES], (700,), ENOUGH),
    ("hEX", [RULES, QUEUES], (700,), TOO_SLOW),
    ("hEX", [FAST_PATH], (1500,), TOO_SLOW),  # its ports of 1 Gbit/s
    ("hEX", [FAST_PATH], (900,), ENOUGH),
    ("hEX", [RULES, "WireGuard"], (200,), UNPUBLISHED),
    ("hEX", [RULES, "WireGuard"], (300,), TOO_SLOW),
    ("hEX", [RULES, "IPsec"], (200,), ENOUGH),
    ("hAP lite", [RULES], (50,), UNPUBLISHED),
    ("hAP lite", [RULES], (300,), TOO_SLOW),  # its ports
    ("RB5009", [RULES, "PPPoE"], (1000,), ENOUGH),
    ("RB5009", [RULES, "PPPoE"], (3000,), UNPUBLISHED),  # reported: at least 2000
    ("hAP ax3", [RULES, "PPPoE"], (1000,), TOO_SLOW),
    ("CCR2004-16G-2S+", [RULES], (1000,), UNPUBLISHED),  # its figure names no configuration
    ("hEX", [FASTTRACK], (380,), ENOUGH),  # with 25 rules in 2018, of a source with both
    ("hEX", [FASTTRACK], (390,), UNPUBLISHED),  # between that and the fast path
    ("hEX", [FASTTRACK], (1900, 950), TOO_SLOW),  # the fast path's 1820
    ("hEX", [FAST_PATH], (1500, 1000), ENOUGH),
    ("hEX", [FAST_PATH], (1500, 1001), TOO_SLOW),
]


@pytest.mark.parametrize(("name", "asked", "mbit", "answer"), CASES)
def test_a_device_against_a_need(
    name: str, asked: list[str], mbit: tuple[float, ...], answer: str
) -> None:
    assert needs.judge(devices.find(name), asked, *mbit).answer == answer


@pytest.mark.parametrize(
    ("rules", "queues", "fasttrack", "names"),
    [
        (False, False, False, [FAST_PATH]),
        (False, False, True, [FASTTRACK]),
        (True, True, False, [RULES, QUEUES]),
        (False, True, True, [RULES, QUEUES]),  # limited packets take no FastTrack
    ],
)
def test_the_figures_of_a_configuration(
    rules: bool, queues: bool, fasttrack: bool, names: list[str]
) -> None:
    assert device_choice.asked(rules, queues, fasttrack) == names


@pytest.mark.parametrize(
    ("tunnels", "named"),
    [
        ((), []),
        (("IPsec",), []),
        (("PPPoE", "EoIP"), ["PPPoE", "EoIP"]),
        (("WireGuard",), ["WireGuard"]),
    ],
)
def test_a_tunnel_that_no_table_covers_is_named(tunnels: tuple[str, ...], named: list[str]) -> None:
    says = device_tables.headline(devices.find("hEX"), None, tunnels)
    assert [line.split()[5].rstrip(";") for line in says if "do not cover" in line] == named


def test_a_class_answers_with_the_figures_of_others() -> None:
    same = needs.of_class(devices.find("RBM33G"))
    assert {device.name: result.device for device, result in same} == {
        "hEX": "hEX",
        "hEX S": "hEX S",
    }
