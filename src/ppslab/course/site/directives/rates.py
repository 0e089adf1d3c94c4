"""The front page's figure: what MikroTik published of the reader's device, and how it falls.

The page holds the numbers as data, made of `ppslab.model.devices`; book/assets/front.js draws them.
Without a script book/fast.md has them as tables.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from docutils import nodes
from markupsafe import Markup

from ppslab.course.models.results_table import bits, packets, percent
from ppslab.course.site.directives import speeds
from ppslab.course.site.directives.frame import languages
from ppslab.course.site.directives.nodes import raw
from ppslab.course.site.directives.sources import LabDirective
from ppslab.course.site.directives.views import figure
from ppslab.model import devices
from ppslab.model.devices import (
    FAST_PATH,
    NOT_NAMED,
    QUEUES,
    RULES,
    WORDS,
    Device,
    Result,
    with_words,
)
from ppslab.show import templates
from ppslab.show.device_tables import Notes

BEGIN, DOES = "RB750Gr3", "rules"
"""The device and the setting that the figure begins with."""

SIZES = (64, 512, 1400, 1518)
"""Frame sizes of MikroTik's tables [bytes]; 1400 is that of its IPsec tables alone."""

OTHERS = ("FastTrack", "WireGuard", WORDS[RULES])
"""Modes that others measured of which every frame size is shown; of the rest, whole rates."""

MARK = 'class="ppslab-rates"'


@dataclass(frozen=True)
class Setting:
    """A task of the router, and the rows of MikroTik's tables with it."""

    key: str
    title: str
    words: str
    mode: str
    configuration: str

    def has(self, result: Result) -> bool:
        """True if a result is of it."""
        return (result.mode, result.configuration) == (self.mode, self.configuration)


SETTINGS = (
    Setting("fast-path", "Fast Path", with_words(FAST_PATH), "Routing", FAST_PATH),
    Setting("rules", "25 rules", with_words(RULES), "Routing", RULES),
    Setting("queues", "25 queues", with_words(QUEUES), "Routing", QUEUES),
    Setting("ipsec", "IPsec", "through one IPsec tunnel, AES-128-CBC + SHA1", "Single tunnel",
            "AES-128-CBC + SHA1"),
)  # fmt: skip


@dataclass(frozen=True)
class Year:
    """Results of a device from one year; two years are in no ratio."""

    year: str
    rates: dict[str, dict[int, Result]]
    """Setting to frame size [bytes] to result."""

    @property
    def newest(self) -> int:
        """The year as a number; 0 without."""
        return max(each.year or 0 for sizes in self.rates.values() for each in sizes.values())

    @property
    def cells(self) -> int:
        return sum(map(len, self.rates.values()))

    def share(self, key: str, size: int) -> float | None:
        """The packet rate over that of the Fast Path; None where one document has not both."""
        one, free = self.rates[key][size], self.rates.get("fast-path", {}).get(size)
        if key == "fast-path" or free is None or free.source != one.source:
            return None
        return _kpps(one) / _kpps(free)


FASTTRACK = ("fasttrack", "Default + FastTrack", "with the default firewall and FastTrack")
"""A task that no table has: its rate is between those with 25 rules and of the Fast Path."""

CHOICES = (
    ("fast-path", SETTINGS[0].title, SETTINGS[0].words),
    FASTTRACK,
    *((each.key, each.title, each.words) for each in SETTINGS[1:]),
)
"""Key, title and words of each choice."""


def years(device: Device) -> list[Year]:
    """Return the published results by year: the newest first, of one year the most complete."""
    sized = [each for each in device.results() if each.frame_bytes and each.kpps and each.mbps]
    sized.sort(key=lambda each: (each.year or 0, each.when))
    found = []
    for year, results in groupby(sized, lambda each: each.when):
        own = list(results)
        rates = {
            setting.key: {size: each for size in SIZES for each in own
                          if each.frame_bytes == size and setting.has(each)}
            for setting in SETTINGS
        }  # fmt: skip
        found.append(Year(year, {key: sizes for key, sizes in rates.items() if sizes}))
    kept = [each for each in found if each.cells]
    return sorted(kept, key=lambda each: (-each.newest, -each.cells))


def like(device: Device) -> Device | None:
    """The device with the same CPU, cores and clock of which most was published; None without."""
    return next((each for each in device.published_relatives if years(each)), None)


def data() -> dict[str, Any]:
    """The numbers of the figure, ready for JSON, with the words in which they are shown."""
    notes = Notes()
    listed = [_device(device, notes) for device in devices.load()]
    return {
        "begin": BEGIN,
        "does": DOES,
        "settings": [{"key": key, "words": words} for key, _, words in CHOICES],
        "devices": listed,
        "sources": [
            {"text": each.named, "href": each.address, "copy": each.copy} for each in notes.sources
        ],
    }  # fmt: skip


def _device(device: Device, notes: Notes) -> dict[str, Any]:
    found, extra = years(device), _extra(device)
    relative = None if found or extra else like(device)
    return {
        "name": device.name,
        "code": device.code,
        "cpu": device.cpu_class,
        "same": relative.code if relative else "",
        "page": device.product_page,
        "tables": [_table(each, notes) for each in found],
        "also": [
            {"text": _also(each), "others": not each.by_mikrotik, **_cited(each, notes)}
            for each in extra
        ],
    }


def _extra(device: Device) -> list[Result]:
    """Results without a configuration, and what others measured of settings that lack one."""
    unnamed = [each for each in device.results() if each.configuration == NOT_NAMED]
    others = [row for row in device.measurements if row.mode in OTHERS or not row.frame_bytes]
    return [*unnamed, *others]


def _table(year: Year, notes: Notes) -> dict[str, Any]:
    rates = {
        key: {
            str(size): {
                "kpps": each.kpps,
                "mbps": each.mbps,
                "rate": packets(_kpps(each)),
                "bits": bits(each.mbps or 0.0),
                "share": percent(year.share(key, size)),
                **_cited(each, notes),
            }
            for size, each in sizes.items()
        }
        for key, sizes in year.rates.items()
    }
    every = [each for sizes in year.rates.values() for each in sizes.values()]
    quoted = "" if all(each.quality == "table" for each in every) else ", as quoted"
    return {
        "year": year.year,
        "by": f"MikroTik\u2019s own test results, {year.year}{quoted}",
        "most": max(map(_kpps, every)),
        "rates": rates,
    }


def _cited(result: Result, notes: Notes) -> dict[str, Any]:
    """The number of the source, and how good the number is."""
    return {"source": notes.number(result.source) - 1, "detail": _detail(result)}


def _detail(result: Result) -> str:
    """Return how good a number is, e.g. `a complete table; Mbit/s calculated from packets/s`."""
    calculated = {
        "kpps": "; packets/s calculated from Mbit/s",
        "mbps": "; Mbit/s calculated from packets/s",
    }
    return devices.QUALITIES[result.quality] + calculated.get(result.calculated, "")


def _also(result: Result) -> str:
    """A result that is none of the settings', in a sentence."""
    what = result.mode if result.configuration == NOT_NAMED else result.configuration
    size = f", {result.frame_bytes} bytes" if result.frame_bytes else ""
    numbers = [f"{packets(result.kpps)} packets/s"] if result.kpps else []
    numbers += [bits(result.mbps)] if result.mbps else []
    more = " or more" if result.at_least else ""
    unnamed = result.configuration == NOT_NAMED
    lacks = " (configuration and frame size are not named)" if unnamed else ""
    return f"{what}{size}: {', '.join(numbers)}{more}{lacks}"


def _kpps(result: Result) -> float:
    return result.kpps or 0.0


# -- on the page ------------------------------------------------------------------------------


@figure("rates")
def rates_figure(page: LabDirective) -> nodes.Node:
    """The device, configuration, and its rates as bars."""
    for path in devices.FOLDER.glob("*.csv"):
        page.env.note_dependency(str(path))
    told = _in_language(page, data())
    # A script element ends at the first "</" that its text has.
    embedded = json.dumps(told, ensure_ascii=False, sort_keys=True).replace("<", "\\u003c")
    names = speeds.datalist("ppslab-devices")
    told_ = Markup(embedded)
    return raw(templates.page("rates.html.j2", data=told_, names=names, choices=CHOICES))


def _in_language(page: LabDirective, told: dict[str, Any]) -> dict[str, Any]:
    """The data with the words that the script shows in the language of the site."""
    for setting in told["settings"]:
        setting["words"] = languages.said(page.env, setting["words"])
    for device in told["devices"]:
        for each in device["tables"]:
            each["by"] = languages.said(page.env, each["by"])
            for sizes in each["rates"].values():
                for cell in sizes.values():
                    cell["detail"] = languages.said(page.env, cell["detail"])
        for each in device["also"]:
            each["text"] = languages.said(page.env, each["text"])
            each["detail"] = languages.said(page.env, each["detail"])
    return told
