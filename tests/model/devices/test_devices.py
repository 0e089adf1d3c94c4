"""MikroTik's devices: what a name finds, and that each published figure has its place."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from ppslab.core.errors import UsageError
from ppslab.model import devices
from rosexplain import summary

NAMES = yaml.safe_load(Path(__file__).with_name("names.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", NAMES, ids=lambda case: case["name"])
def test_a_name_finds_its_device(case: dict[str, Any]) -> None:
    if "code" in case:
        assert devices.find(case["name"]).code == case["code"]
        return
    answer = "choose one: " if case.get("several") else "no device"
    with pytest.raises(UsageError, match=answer):
        devices.find(case["name"])


def test_a_name_that_is_nearly_one_is_asked_after() -> None:
    with pytest.raises(UsageError, match='did you mean "hex"'):
        devices.find("hexx")


def test_the_explainer_and_the_tables_call_a_configuration_the_same() -> None:
    for configuration, words in summary.ROUTING:
        assert words == devices.with_words(configuration)


@pytest.mark.parametrize("device", devices.load(), ids=lambda device: device.code)
def test_every_device_is_found_by_its_name_and_code(device: devices.Device) -> None:
    assert devices.find(device.name) == device
    assert devices.find(device.code) == device


def test_a_device_answers_with_both_years_the_newest_first() -> None:
    rows = devices.find("hex").results("Routing", devices.RULES)
    at_512 = [(row.year, row.mbps, row.quality) for row in rows if row.frame_bytes == 512]
    assert at_512 == [(2025, 265.2, "quoted"), (2018, 385.4, "table")]


def test_the_tables_of_the_labs_are_whole_and_written_once() -> None:
    table = [row for row in devices.results() if row.source.id.startswith(devices.SOURCES)]
    by_device = {row.code for row in table}
    assert by_device == {"RB750Gr3", "RB3011UiAS-RM", "RB1100AHx2", "RB1100x4", "RB4011iGS+RM"}
    ethernet = [row for row in table if not devices.is_ipsec(row)]
    assert len(ethernet) == 5 * 15
    keys = [
        (row.code, row.mode, row.configuration, row.frame_bytes, row.source)
        for row in devices.results()
    ]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("row", (*devices.results(), *devices.measurements()))
def test_a_figure_has_a_source_and_its_two_rates_agree(row: devices.Result) -> None:
    assert row.source.title
    assert row.source.address or row.source.date
    assert row.quality in devices.QUALITIES
    assert row.kpps or row.mbps
    if row.frame_bytes and row.kpps and row.mbps:
        assert row.mbps == pytest.approx(row.kpps * row.frame_bytes * 8 / 1000, rel=0.01, abs=0.5)


def test_the_class_and_its_relatives() -> None:
    mini = devices.find("hEX S")
    assert mini.cpu_class == "MT7621A, 2 cores, 880 MHz"
    assert devices.find("hEX") in mini.relatives
    assert mini not in mini.relatives


@pytest.mark.parametrize(
    ("name", "fastest", "how_many"),
    [("hEX", 1000, 5), ("RB5009", 10_000, 9), ("hAP lite", 100, 4), ("CCR2216", 100_000, 14)],
)
def test_ports(name: str, fastest: int, how_many: int) -> None:
    speeds = devices.find(name).port_speeds
    assert (speeds[0], len(speeds)) == (fastest, how_many)


def test_acceleration_and_chip() -> None:
    gcm = {row.cipher: row.hashes["SHA256"] for row in devices.find("RB5009").acceleration}
    assert (gcm["AES-GCM"], gcm["AES-CBC"]) == ("yes", "yes")
    assert {row.cipher: row.hashes["SHA1"] for row in devices.find("hEX").acceleration}[
        "AES-GCM"
    ] == "no"
    chip = devices.find("CRS326-24G-2S+RM").l3hw
    assert chip and chip.ipv4_routes == 13312
    assert devices.find("hEX").l3hw is None


def test_the_data_for_a_page() -> None:
    data = json.loads(json.dumps(devices.data()))
    hex_ = next(device for device in data["devices"] if device["name"] == "hEX")
    first = hex_["results"][0]
    assert first[:5] == ["Routing", "25 ip filter rules", 512, 64.7, 265.2]
    assert data["sources"][first[7]]["year"] == 2025
