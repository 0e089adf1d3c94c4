"""Devices on pages: found by a name, each with a page that is true, and the front page's figure."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest
import yaml

from ppslab.core import paths
from ppslab.course.models.results_table import SETTINGS
from ppslab.course.site.directives import device_pages, rates
from ppslab.model import devices
from ppslab.show import device_tables, explained
from tests.course.site.small_site import Site
from tests.model.devices import test_devices as known_names

LISTED = [device for device in devices.load() if device.has_figures]
FIGURE = rates.data()
BY_CODE: dict[str, Any] = {each["code"]: each for each in FIGURE["devices"]}

# --- a device by its name: the cases of `ppslab fast`, in JavaScript ------------------------------

ASK = """
const { devices, names } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const { find } = globalThis.ppslabDevices;
console.log(JSON.stringify(names.map((name) => {
  const { device, several } = find(name, devices);
  return { code: device?.code ?? "", several: !!several };
})));
"""


def test_the_script_finds_by_a_name_what_the_command_finds() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not here")
    cases = yaml.safe_load(Path(known_names.__file__).with_name("names.yml").read_text("utf-8"))
    wanted = [(case["name"], case.get("code", ""), case.get("several", False)) for case in cases]
    wanted += [(text, d.code, False) for d in devices.load() for text in (d.name, d.code)]
    data = [
        {"name": each.name, "code": each.code, "cpu": each.cpu_class,
         "published": devices.is_published(each)}
        for each in devices.load()
    ]  # fmt: skip
    script = (paths.project_root() / "book/assets/device-names.js").read_text("utf-8") + ASK
    asked = json.dumps({"devices": data, "names": [name for name, *_ in wanted]})
    done = subprocess.run(
        [node, "-e", script], input=asked, capture_output=True, text=True, check=True
    )
    answers = [(each["code"], each["several"]) for each in json.loads(done.stdout)]
    assert answers == [(code, several) for _, code, several in wanted]


# --- pages ----------------------------------------------------------------------------------------


@pytest.mark.long
def test_figures_lead_to_their_sources_and_every_device_to_its_page(site: Site) -> None:
    site.page("fast", "# Fast\n\n```{ppslab-list} device-speeds\n```\n")
    _, warnings, _ = site.build("# Front\n\n```{toctree}\n:hidden:\nfast\n```\n")
    assert warnings == ""
    folder = site.out / "book/fast"
    pages = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.html")}
    assert set(pages) == {*(device.slug for device in LISTED), "compare"}
    table = (site.out / "book/fast.html").read_text(encoding="utf-8")
    named = set(re.findall(r'href="#(device-source-\d+)"', table))
    assert named and named == set(re.findall(r'id="(device-source-\d+)"', table))
    for device in devices.load():
        assert f'<option value="{device.name}" data-code="{escape(device.code)}"' in table
    linked = re.findall(r'href="fast/([\w-]+)\.html#([\w-]+)"', table)
    assert {slug for slug, _ in linked} == set(pages) - {"compare"}
    assert all(f'id="{anchor}"' in pages[slug] for slug, anchor in linked)
    words = (site.out / "_static/words.js").read_text(encoding="utf-8")
    answers = json.loads(words.partition("const ppslabAnswers=")[2].partition(";\n")[0])
    assert {f"book/fast/{slug}.html" for slug in pages} <= {one["address"] for one in answers}
    for device in LISTED:
        head = unescape(pages[device.slug].partition("</head>")[0])
        number = device_pages.headline(device).split(": ")[1].split(" ")[0]
        assert f'property="og:title" content="MikroTik {device.name}' in head
        assert number in head and "<svg" in pages[device.slug]
        # The relative addresses of the page lead somewhere.
        for address in re.findall(r'href="([^"#?:]+\.html)', pages[device.slug]):
            known = ("../explain.html", "../slow.html")  # pages that this small site lacks
            assert address in known or (folder / address).resolve().is_file(), address


@pytest.mark.parametrize(
    ("name", "line", "verdicts"),
    [
        # 265 Mbit/s with rules in 2025; with FastTrack 385 to 1820 in 2018.
        ("hEX", 100, ["yes", "yes", "yes", "yes"]),
        ("hEX", 300, ["no", "no", "yes", "perhaps"]),
        ("hEX", 1000, ["no", "no", "perhaps", "no"]),
        ("hEX", 2500, ["no: the ports"] * 4),
        ("RB5009", 2500, ["yes", "no", "yes", "perhaps"]),
        ("hAP ax2", 500, ["yes", "no", "yes", "perhaps"]),
        ("CCR2116", 1000, ["not known"] * 4),
    ],
)
def test_a_line_is_judged_by_the_figures(name: str, line: int, verdicts: list[str]) -> None:
    body = device_pages.page(devices.find(name))["body"]
    row = re.search(rf"<tr><th[^>]*>{line}<.*?</tr>", body, re.DOTALL)
    assert row and re.findall(r"<td[^>]*>(.*?)</td>", row[0]) == verdicts


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("hEX", "265.2 Mbit/s with 25 filter rules"),
        ("CCR2116", "at least 9000 Mbit/s (VXLAN)"),
        ("CCR2004-16G-2S+", "about 4600 Mbit/s (configuration not named)"),
    ],
)
def test_a_title_has_the_number_and_what_it_is_of(name: str, number: str) -> None:
    assert device_pages.headline(devices.find(name)).partition(": ")[2] == number


def test_what_is_not_known_of_a_device_is_said() -> None:
    said = " ".join(device_pages.unknown(devices.find("hAP ax3")))
    assert "25 simple queues" in said and "WireGuard" in said and "PPPoE" not in said


def test_a_year_ranks_its_own_rates_alone() -> None:
    for when, rows in device_tables.rankings().items():
        assert {rate.when for row in rows for rate in row.rates if rate} == {when}
        first = [row.rates[0].mbps or 0 for row in rows if row.rates[0]]
        assert first == sorted(first, reverse=True)


# --- the front page's figure ----------------------------------------------------------------------


def test_the_figure_has_every_published_number_of_its_settings_with_its_source() -> None:
    keys = {(mode, configuration): key for key, mode, configuration in SETTINGS}
    wanted = {
        (row.code, keys[row.mode, row.configuration], row.frame_bytes, row.kpps, row.mbps,
         row.source.address)
        for row in devices.results() if (row.mode, row.configuration) in keys
    }  # fmt: skip
    shown = [
        (device["code"], key, int(size), cell["kpps"], cell["mbps"],
         FIGURE["sources"][cell["source"]]["href"])
        for device in FIGURE["devices"] for table in device["tables"]
        for key, sizes in table["rates"].items() for size, cell in sizes.items()
    ]  # fmt: skip
    assert len(shown) > 60 and len(set(shown)) == len(shown)
    assert set(shown) == wanted


@pytest.mark.parametrize(
    ("code", "year", "key", "size", "share"),
    [
        ("RB750Gr3", "2018", "rules", "64", "9 %"),
        ("RB750Gr3", "2018", "fast-path", "64", ""),
        ("RB750Gr3", "2025", "rules", "512", ""),
        ("RB5009UG+S+IN", "by 2025", "rules", "512", ""),
    ],
)
def test_a_share_is_of_one_year_and_one_document(
    code: str, year: str, key: str, size: str, share: str
) -> None:
    table = next(each for each in BY_CODE[code]["tables"] if each["year"] == year)
    assert table["rates"][key][size]["share"] == share


@pytest.mark.parametrize(
    ("code", "same"),
    [
        ("RBM33G", "RB750Gr3"),
        ("RB4011iGS+5HacQ2HnD-IN", "RB4011iGS+RM"),
        ("RB750Gr3", ""),
        ("CCR2216-1G-12XS-2XQ", ""),
        # The same chip with another clock is another class.
        ("CCR2004-16G-2S+PC", ""),
    ],
)
def test_without_results_the_numbers_are_those_of_a_device_with_the_same_cpu(
    code: str, same: str
) -> None:
    device = BY_CODE[code]
    assert device["same"] == same
    if same:
        assert not device["tables"] and device["cpu"] == BY_CODE[same]["cpu"]


def test_the_newest_year_comes_first_and_explain_has_its_figure() -> None:
    for code, device in BY_CODE.items():
        ends = [int("0" + table["year"][-4:]) for table in device["tables"] if table["rates"]]
        assert ends == sorted(ends, reverse=True), code
    published = explained.published()
    first = BY_CODE["RB750Gr3"]["tables"][0]["rates"]["rules"]["512"]["mbps"]
    rules = [row for row in published["RB750Gr3"] if row["configuration"] == devices.RULES]
    assert first == rules[0]["mbps"] == 265.2
    # Of a device without its own: those of the same CPU, which they name.
    assert {row["of"] for row in published["RB5009UPr+S+IN"]} == {"RB5009UG+S+IN"}
    assert "of" not in published["RB5009UG+S+IN"][0]
    assert "CCR2004-16G-2S+PC" not in published
