"""A page for each device with a figure, book/fast/NAME.html, and one for two of them.

The pages have no source: they are made of `ppslab.model.devices` when the site is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from markupsafe import Markup
from sphinx.application import Sphinx

from ppslab.core.text.quantities import for_pages
from ppslab.core.text.tables import Table, cells
from ppslab.course.models import drawing
from ppslab.course.site.directives import rates, speeds
from ppslab.course.site.directives.frame import pages
from ppslab.course.site.directives.frame.languages import english
from ppslab.course.site.directives.nodes import embedded
from ppslab.course.widgets import facts
from ppslab.model import device_choice, devices
from ppslab.model.device_choice import FASTTRACK, Judgement
from ppslab.model.devices import Device, Result, needs
from ppslab.show import device_tables, templates
from ppslab.show.device_tables import BOTH_WAYS, COUNTS, Notes, mbit

FOLDER = device_tables.PAGES
"""The folder of the pages, and the document above them; a book without it has none of them."""
COMPARE = f"{FOLDER}/compare"

LINES = (100, 300, 500, 1000, 2500)
"""Lines that people have [Mbit/s, one way]."""


def shown(app: Sphinx) -> list[Device]:
    """The devices that have a page on this site."""
    if app.builder.name != "html" or english(app) or FOLDER not in app.env.found_docs:
        return []
    return [device for device in devices.load() if device.has_figures]


def address(device: Device) -> str:
    """The page of a device, as Sphinx names pages."""
    return f"{FOLDER}/{device.slug}"


def addresses(app: Sphinx) -> list[str]:
    """The pages that are made here, as Sphinx names them."""
    known = shown(app)
    return [*map(address, known), *([COMPARE] if known else [])]


def answers(app: Sphinx) -> list[dict[str, Any]]:
    """The pages for the site's own search: each is found by the device's name and code."""
    keys, target = ("address", "title", "words", "text"), app.builder.get_target_uri
    rows = [
        (target(address(each)), headline(each), [each.name.lower(), each.code.lower()], each.cpu)
        for each in shown(app)
    ]
    words = ["compare", "versus", "vs"]
    rows += [(target(COMPARE), "Two devices compared", words, "Side by side")] if rows else []
    return [dict(zip(keys, row, strict=True)) for row in rows]


def collect(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield every page: its name, its content and the theme's template."""
    known = shown(app)
    for device in known:
        yield address(device), page(device), "page.html"
    if known:
        yield COMPARE, comparison(), "page.html"


def page(device: Device) -> dict[str, Any]:
    """The context of a device's page."""
    notes = Notes()
    tables = device_tables.of_device(device, notes)
    picture, caption = _picture(device)
    lines = device_tables.headline(device)[1:]
    title = headline(device)
    body = templates.page(
        "device.html.j2",
        device=device,
        title=title,
        ports=device.all_ports,
        picture=Markup(picture),
        caption=caption,
        figures=[for_pages(line) for line in lines],
        lines=Markup(_lines(device).html()),
        limits=[for_pages(line) for line in device_tables.limits(device)],
        tables=[Markup(table.html()) for table in tables],
        unknown=unknown(device),
        sources=notes.sources,
        counts=COUNTS,
        explain="../explain.html",
        slow="../slow.html",
        compare=f"compare.html#{device.slug}",
        paste=f"../fast.html?device={quote(device.code)}#ppslab-results",
    )
    cpu = f", {device.cpu_class}" if device.cpu_class else ""
    description = f"{title}. {device.code}{cpu}: figures with year and source, lines it can carry."
    return {
        "title": pages.shortened(f"MikroTik {title}", pages.MOST_TITLE),
        "body": body,
        "page_description": pages.shortened(description, pages.MOST_DESCRIPTION),
    }


def headline(device: Device) -> str:
    """Its name with the number that says most: `hAP ax2: 912.9 Mbit/s with 25 filter rules`."""
    first = _first(device)
    if first is None:
        return device.name
    if first.configuration == devices.NOT_NAMED:
        what = f"({devices.WORDS[devices.NOT_NAMED]})"
    elif first.by_mikrotik and first.mode == "Routing":
        what = devices.with_words(first.configuration)
    else:
        what = f"({first.mode})"
    number = f"{mbit(first)} Mbit/s" if first.mbps else f"{first.kpps:g} kpps"
    return for_pages(f"{device.name}: {number} {what}")


def _first(device: Device) -> Result | None:
    sized = [needs.routing(device, name) for name in device_tables.ORDER]
    others = sorted(device.measurements, key=lambda row: -(row.mbps or 0))
    every = [*sized, *device.results(), *others]
    return next((each for each in every if each and (each.mbps or each.kpps)), None)


def _picture(device: Device) -> tuple[str, str]:
    """The bars of its newest year with most configurations, or of what others measured."""
    year = max(rates.years(device), key=lambda each: len(each.rates), default=None)
    rows = []
    if year:
        for key, title, _ in rates.CHOICES:
            if sizes := year.rates.get(key):
                size = 512 if 512 in sizes else next(iter(sizes))
                rows.append((f"{title}, {size} bytes", sizes[size]))
        caption = f"MikroTik's test results, {year.year}: Mbit/s of all ports together."
        first = _first(device)
        if first and first.when != year.year:
            caption += f" The figure at the top is of {first.when}: do not compare the two."
    else:
        unnamed = [row for row in device.results() if row.mbps]
        rows = [(_of(row), row) for row in (*unnamed, *device.measurements) if row.mbps]
        caption = "Mbit/s, by different methods and in different years: no ranking."
    bars = [(label, row.mbps or 0.0, f"{mbit(row)} Mbit/s") for label, row in rows]
    if not bars:
        return "", ""
    alt = "; ".join(f"{label}: {text}" for label, _, text in bars)
    return drawing.bars(bars, "Mbit/s").svg(alt), for_pages(caption)


def _of(row: Result) -> str:
    unnamed = row.configuration == devices.NOT_NAMED
    size = f", {row.frame_bytes} bytes" if row.frame_bytes else ""
    return f"{row.mode if unnamed else row.configuration}{size} ({row.when})"


def _lines(device: Device) -> Table:
    """Whether it is enough for a line, with rules and with FastTrack, one way and both ways."""
    rows = tuple(
        cells(
            str(line),
            *(_verdict(needs.judge(device, [name], line * ways, line))
              for name in (devices.RULES, FASTTRACK) for ways in (1, 2)),
        )
        for line in LINES
    )  # fmt: skip
    header = (
        *("line, Mbit/s", "25 rules, download alone", "25 rules, both ways at once"),
        *("default with FastTrack, download alone", "default with FastTrack, both ways"),
    )
    return Table("Enough, in packets of 512 bytes?", header, rows, (BOTH_WAYS,))


def _verdict(judged: Judgement) -> str:
    if judged.ports is False:
        return "no: the ports"
    if judged.answer == device_choice.UNPUBLISHED:
        return "perhaps" if judged.known else "not known"
    return "yes" if judged.answer == device_choice.ENOUGH else "no"


def unknown(device: Device) -> list[str]:
    """What no figure says of it."""
    said = ["The default firewall with FastTrack: MikroTik publishes no test of it."]
    lacking = [
        devices.WORDS[name] for name in device_tables.ORDER if needs.routing(device, name) is None
    ]
    if lacking:
        said.append(f"Not in our copies, in packets of 512 bytes: {', '.join(lacking)}.")
    tunnels = [name for name in needs.TUNNELS if needs.tunnel(device, name) is None]
    if tunnels:
        said.append(f"No figure in our copies: {', '.join(tunnels)}.")
    if not device.port_speeds:
        said.append("The ports, which may be slower than the CPU.")
    return said


# -- two devices ------------------------------------------------------------------------------


def comparison() -> dict[str, Any]:
    """The context of the page that compares two devices."""
    body = templates.page(
        "compare.html.j2",
        facts=embedded(facts.of("compare-devices")),
        names=speeds.datalist("ppslab-device-names"),
    )
    return {
        "title": "Compare two MikroTik routers: speed and ports",
        "body": body,
        "page_description": "RB5009 or RB4011, hEX or hAP ax2: published Mbit/s side by side, with "
        "a ratio only where year, method and configuration agree.",
    }
