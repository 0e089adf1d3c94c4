"""Published speeds of MikroTik's devices: the tables, with a field to search them.

    ```{ppslab-list} device-speeds
    ```

The field is shown by `devices.js`; without a script the tables stand there whole.
"""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape

from docutils import nodes

from ppslab.core import paths
from ppslab.core.text.quantities import for_pages
from ppslab.core.text.tables import Cell, Table
from ppslab.course.site.directives.nodes import note_below, raw, table_nodes
from ppslab.course.site.directives.sources import LabDirective
from ppslab.course.site.directives.views import listing
from ppslab.model import devices
from ppslab.model.devices import WORDS, Device, Result
from ppslab.show import device_tables, templates

SCRIPT, NAMES = "devices.js", "device-names.js"
"""The script of the page, and the one that finds a device by a name."""
PYTHON, RESULTS = "python.js", "results.js"
"""The scripts that read a pasted table, and keep it."""

KIND = "ppslab-devices"

FIELD = (
    '<form id="ppslab-devices-filter" class="ppslab-filters" role="search" '
    'aria-label="Find a device" hidden><div><label for="ppslab-device">Your device</label>'
    '<input type="search" id="ppslab-device" name="device" list="ppslab-device-names" '
    'autocomplete="off" placeholder="hEX, RB5009, hAP ax3"></div>'
    '<div><label for="ppslab-need">or Mbit/s needed</label>'
    '<input type="number" id="ppslab-need" name="need" min="1" inputmode="numeric" '
    'placeholder="1000"></div>'
    '<button type="reset">Show all</button><p role="status"></p></form>'
)


PASTE = (
    '<p><a href="fast/compare.html">Compare two devices</a> side by side.</p>'
    '<details id="ppslab-results" class="ppslab-results" hidden>'
    "<summary>Paste the <em>Test results</em> of your device</summary>"
    "<p>Open your device on mikrotik.com, choose <em>Test results</em>, select a table with its "
    "header, and paste it here. It is read in this page, each kpps is checked against its Mbit/s, "
    "and it is kept in this browser alone.</p>"
    '<form id="ppslab-results-form" data-front="../index.html">'
    '<label for="ppslab-results-device">Device (empty: as the table says)</label>'
    '<input id="ppslab-results-device" name="device" list="ppslab-device-names" '
    'autocomplete="off">'
    '<label for="ppslab-results-table">Test results</label>'
    '<textarea id="ppslab-results-table" class="ppslab-paste" name="table" rows="6" '
    'spellcheck="false" autocomplete="off"></textarea>'
    '<button type="submit">Read it</button>'
    '<p class="ppslab-problem" role="alert" hidden></p><div role="status"></div></form></details>'
)


def datalist(name: str) -> str:
    """Every device, those with published results first, as `NAMES` reads it."""
    known = sorted(devices.load(), key=lambda each: not each.results())
    return f'<datalist id="{name}">{"".join(map(_option, known))}</datalist>'


def _option(device: Device) -> str:
    years = ", ".join(dict.fromkeys(row.when for row in device.results()))
    words = f"{device.code}, results: {years}" if years else device.code
    mark = " data-published" if devices.is_published(device) else ""
    return (
        f'<option value="{escape(device.name)}" data-code="{escape(device.code)}" '
        f'data-cpu="{escape(device.cpu_class)}"{mark}>{escape(words)}</option>'
    )


@listing("device-speeds")
def device_speeds(page: LabDirective) -> list[nodes.Node]:
    """The field, every table, and the sources that their cells point to."""
    for path in (paths.project_root() / "labs").glob("*/published.csv"):
        page.env.note_dependency(str(path))
    for path in devices.FOLDER.glob("*.csv"):
        page.env.note_dependency(str(path))
    notes = device_tables.Notes()
    shown: list[nodes.Node] = [raw(PASTE + FIELD + datalist("ppslab-device-names"))]
    shown += [raw(_ranking(when, rows, notes)) for when, rows in device_tables.rankings().items()]
    below = (device_tables.COUNTS, device_tables.BOTH_WAYS, device_tables.measured_again())
    shown += [note_below(for_pages(text)) for text in below]
    for table in (*device_tables.published(notes), device_tables.all_devices()):
        shown.append(nodes.container("", *table_nodes(_linked(table)), classes=[KIND]))
    # The field sticks as long as its tables are on the screen.
    return [nodes.container("", *shown), nodes.rubric(text="Sources"), _sources(notes)]


def _ranking(when: str, rows: list[device_tables.Ranked], notes: device_tables.Notes) -> str:
    """One year's table: numbers with bars, each number leading to its source."""
    every = [rate.mbps or 0.0 for row in rows for rate in row.rates if rate]
    most = max(every)

    def cell(rate: Result | None) -> dict[str, object] | None:
        if rate is None:
            return None
        return {
            "mbps": rate.mbps,
            "text": for_pages(device_tables.mbit(rate)),
            "part": f"{100 * (rate.mbps or 0) / most:.1f}",
            "source": notes.number(rate.source),
            "words": f"{rate.source.named}, {rate.quality}",
        }

    shown = [
        {
            "device": row.device,
            "page": device_tables.page_of(row.device),
            "rates": [cell(rate) for rate in row.rates],
        }
        for row in rows
    ]
    columns = [WORDS[name] for name in device_tables.ORDER]
    title = "Routing 512-byte packets, published"
    return templates.page("ranking.html.j2", when=when, title=title, columns=columns, rows=shown)


def _linked(table: Table) -> Table:
    """The table whose cells lead to their sources."""
    rows = tuple(tuple(_linked_cell(cell) for cell in row) for row in table.rows)
    return replace(table, rows=rows)


def _linked_cell(cell: Cell) -> Cell:
    numbers = re.findall(r"\[(\d+)\]", cell.text)
    links = tuple(f"device-source-{number}" for number in numbers)
    return replace(cell, links=links or cell.links)


def _sources(notes: device_tables.Notes) -> nodes.Node:
    """A numbered list; the addresses lead out."""
    items = []
    for number, source in enumerate(notes.sources, 1):
        text = nodes.paragraph()
        title = for_pages(source.named)
        if source.address:
            text += nodes.reference("", title, refuri=source.address)
        else:
            text += nodes.Text(title)
        if source.copy:
            text += nodes.Text(f"; copy: {source.copy}")
        items.append(nodes.list_item("", text, ids=[f"device-source-{number}"]))
    return nodes.enumerated_list("", *items)
