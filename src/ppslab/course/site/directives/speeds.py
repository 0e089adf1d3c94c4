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
from sphinx.application import Sphinx

from ppslab.core import paths
from ppslab.core.text.quantities import for_pages
from ppslab.core.text.tables import Cell, Table
from ppslab.course.site.directives.frame.head import load_where
from ppslab.course.site.directives.nodes import raw, table_nodes
from ppslab.course.site.directives.sources import LabDirective
from ppslab.course.site.directives.views import listing
from ppslab.model import devices
from ppslab.model.devices import Device
from ppslab.show import device_tables

SCRIPT, NAMES = "devices.js", "device-names.js"
"""The script of the page, and the one that finds a device by a name."""

KIND = "ppslab-devices"
RANKING = "ppslab-ranking"
"""The class of the table that is ordered by the rate with 25 filter rules."""

FIELD = (
    '<form id="ppslab-devices-filter" class="ppslab-filters" role="search" '
    'aria-label="Find a device" hidden><div><label for="ppslab-device">Your device</label>'
    '<input type="search" id="ppslab-device" name="device" list="ppslab-device-names" '
    'autocomplete="off" placeholder="hEX, RB5009, hAP ax3"></div>'
    '<div><label for="ppslab-need">or the Mbit/s that you need</label>'
    '<input type="number" id="ppslab-need" name="need" min="1" inputmode="numeric" '
    'placeholder="1000"></div>'
    '<button type="reset">Show all</button><p role="status"></p></form>'
)


def datalist(name: str) -> str:
    """Every device, those with published results first, as `NAMES` reads it."""
    known = sorted(devices.load(), key=lambda each: not each.results())
    return f'<datalist id="{name}">{"".join(map(_option, known))}</datalist>'


def _option(device: Device) -> str:
    years = ", ".join(dict.fromkeys(row.when for row in device.results()))
    words = f"{device.code}, results of {years}" if years else device.code
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
    tables = [
        device_tables.ranking(notes),
        *device_tables.published(notes),
        device_tables.all_devices(),
    ]
    shown: list[nodes.Node] = [raw(FIELD + datalist("ppslab-device-names"))]
    for number, table in enumerate(tables):
        kinds = [KIND, *([] if number else [RANKING])]
        shown.append(nodes.container("", *table_nodes(_linked(table)), classes=kinds))
    return [*shown, nodes.rubric(text="Sources"), _sources(notes)]


def _linked(table: Table) -> Table:
    """The table whose cells lead to their sources."""
    rows = tuple(tuple(_linked_cell(cell) for cell in row) for row in table.rows)
    return replace(table, rows=rows)


def _linked_cell(cell: Cell) -> Cell:
    numbers = re.findall(r"\[(\d+)\]", cell.text)
    return replace(cell, links=tuple(f"device-source-{number}" for number in numbers))


def _sources(notes: device_tables.Notes) -> nodes.Node:
    """A numbered list; the addresses lead out."""
    items = []
    for number, source in enumerate(notes.sources, 1):
        text = nodes.paragraph()
        title = for_pages(source.title)
        if source.address:
            text += nodes.reference("", title, refuri=source.address)
        else:
            text += nodes.Text(title)
        if source.date and source.date not in source.title:
            text += nodes.Text(f" ({source.date})")
        items.append(nodes.list_item("", text, ids=[f"device-source-{number}"]))
    return nodes.enumerated_list("", *items)


def setup(app: Sphinx) -> None:
    """Load the script where it is needed; called by the extension."""
    load_where(app, 'id="ppslab-devices-filter"', [NAMES, SCRIPT])
