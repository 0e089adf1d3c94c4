"""The front page's figure: what MikroTik published of the reader's device, and how it falls.

The page holds the numbers as data, made of `ppslab.model.devices`; book/assets/front.js draws them.
Without a script book/fast.md has them as tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

from docutils import nodes

from ppslab.course.models.results_table import bits, by_setting, drawn, packets
from ppslab.course.site.directives import speeds
from ppslab.course.site.directives.frame import languages
from ppslab.course.site.directives.nodes import embedded, raw
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

OTHERS = ("FastTrack", "WireGuard", WORDS[RULES])
"""Modes that others measured of which every frame size is shown; of the rest, whole rates."""

MARK = 'class="ppslab-rates"'

CHOICES = (
    ("fast-path", "Fast Path", with_words(FAST_PATH)),
    # No table has it: its rate is between those with 25 rules and of the Fast Path.
    ("fasttrack", "Default + FastTrack", "with the default firewall and FastTrack"),
    ("rules", "25 rules", with_words(RULES)),
    ("queues", "25 queues", with_words(QUEUES)),
    ("ipsec", "IPsec", "through one IPsec tunnel, AES-128-CBC + SHA1"),
)
"""Key, title and words of each task of the router."""

CALCULATED = {
    "": "",
    "kpps": "; packets/s calculated from Mbit/s",
    "mbps": "; Mbit/s calculated from packets/s",
}


@dataclass(frozen=True)
class Year:
    """Results of a device from one year, by setting and frame size; two years are in no ratio."""

    year: str
    rates: dict[str, dict[int, Result]]

    @property
    def results(self) -> list[Result]:
        return [row for sizes in self.rates.values() for row in sizes.values()]


def years(device: Device) -> list[Year]:
    """Return the published results by year: the newest first, of one year the most complete."""
    sized = [row for row in device.results() if row.frame_bytes and row.kpps and row.mbps]
    sized.sort(key=lambda row: (row.year or 0, row.when))
    every = [
        Year(when, by_setting(list(rows))) for when, rows in groupby(sized, lambda row: row.when)
    ]
    kept = [year for year in every if year.rates]
    return sorted(kept, key=lambda year: (-(year.results[0].year or 0), -len(year.results)))


def data(say: Callable[[str], str] = str) -> dict[str, Any]:
    """The numbers of the figure, ready for JSON, with the words in which `say` shows them."""
    notes = Notes()
    listed = [_device(device, notes, say) for device in devices.load()]
    return {
        "begin": BEGIN,
        "does": DOES,
        "settings": [{"key": key, "words": say(words)} for key, _, words in CHOICES],
        "devices": listed,
        "sources": [
            {"text": each.named, "href": each.address, "copy": each.copy} for each in notes.sources
        ],
    }  # fmt: skip


def _device(device: Device, notes: Notes, say: Callable[[str], str]) -> dict[str, Any]:
    def cite(row: Result) -> dict[str, Any]:
        """The number of the source, and how good the number is."""
        detail = devices.QUALITIES[row.quality] + CALCULATED[row.calculated]
        return {"source": notes.number(row.source) - 1, "detail": say(detail)}

    known = years(device)
    # What has no configuration, and what others measured of settings that lack one.
    extra = [row for row in device.results() if row.configuration == NOT_NAMED]
    extra += [row for row in device.measurements if row.mode in OTHERS or not row.frame_bytes]
    alike = () if known or extra else device.published_relatives
    return {
        "name": device.name,
        "code": device.code,
        "cpu": device.cpu_class,
        "same": next((each.code for each in alike if years(each)), ""),
        "page": device.product_page,
        "tables": [drawn(year.rates, year.year, say(_by(year)), cite) for year in known],
        "also": [
            {"text": say(_also(row)), "others": not row.by_mikrotik, **cite(row)} for row in extra
        ],
    }


def _by(year: Year) -> str:
    quoted = "" if all(row.quality == "table" for row in year.results) else ", as quoted"
    return f"MikroTik\u2019s own test results, {year.year}{quoted}"


def _also(result: Result) -> str:
    """A result that is none of the settings', in a sentence."""
    unnamed = result.configuration == NOT_NAMED
    what = result.mode if unnamed else result.configuration
    size = f", {result.frame_bytes} bytes" if result.frame_bytes else ""
    numbers = [f"{packets(result.kpps)} packets/s"] if result.kpps else []
    numbers += [bits(result.mbps)] if result.mbps else []
    more = " or more" if result.at_least else ""
    lacks = " (configuration and frame size are not named)" if unnamed else ""
    return f"{what}{size}: {', '.join(numbers)}{more}{lacks}"


# -- on the page ------------------------------------------------------------------------------


@figure("rates")
def rates_figure(page: LabDirective) -> nodes.Node:
    """The device, configuration, and its rates as bars."""
    for path in devices.FOLDER.glob("*.csv"):
        page.env.note_dependency(str(path))
    shown = embedded(data(partial(languages.said, page.env)))
    names = speeds.datalist("ppslab-devices")
    return raw(templates.page("rates.html.j2", data=shown, names=names, choices=CHOICES))
