"""Published speeds of MikroTik's devices: the tables, with a field to search them.

    ```{ppslab-list} device-speeds
    ```

The field is shown by `devices.js`; without a script the tables stand there whole.
"""

from __future__ import annotations

import re
from dataclasses import replace

from docutils import nodes
from markupsafe import Markup

from ppslab.core import paths
from ppslab.core.text.quantities import for_pages
from ppslab.core.text.tables import Cell, Table
from ppslab.course.site.directives.nodes import note_below, raw, table_nodes
from ppslab.course.site.directives.sources import LabDirective
from ppslab.course.site.directives.views import listing
from ppslab.model import devices
from ppslab.model.devices import WORDS, Result
from ppslab.show import device_tables, templates

SCRIPT, NAMES = "devices.js", "device-names.js"
"""The script of the page, and the one that finds a device by a name."""
PYTHON, RESULTS = "python.js", "results.js"
"""The scripts that read a pasted table, and keep it."""

KIND = "ppslab-devices"


def datalist(name: str) -> Markup:
    """Every device, those with published results first, as `NAMES` reads it."""
    known = sorted(devices.load(), key=lambda each: not each.results())
    published = devices.is_published
    page = "device-names.html.j2"
    return Markup(templates.page(page, id=name, devices=known, is_published=published))


@listing("device-speeds")
def device_speeds(page: LabDirective) -> list[nodes.Node]:
    """The field, every table, and the sources that their cells point to."""
    for path in (paths.project_root() / "labs").glob("*/published.csv"):
        page.env.note_dependency(str(path))
    for path in devices.FOLDER.glob("*.csv"):
        page.env.note_dependency(str(path))
    notes = device_tables.Notes()
    shown: list[nodes.Node] = [
        raw(templates.page("device-forms.html.j2", names=datalist("ppslab-device-names")))
    ]
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
