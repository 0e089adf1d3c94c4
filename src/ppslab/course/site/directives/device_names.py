"""The list of devices that a field offers, and the script that finds one by a name."""

from __future__ import annotations

from html import escape

from ppslab.model import devices
from ppslab.model.devices import Device

SCRIPT = "device-names.js"


def datalist(name: str) -> str:
    """Every device, those with published results first, as `SCRIPT` reads it."""
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
