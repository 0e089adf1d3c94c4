"""The page of devices: each figure leads to its source, and the field has every name."""

from __future__ import annotations

import re
from html import escape

import pytest

from ppslab.model import devices
from tests.course.site.small_site import Site

pytestmark = pytest.mark.long


def test_every_figure_has_its_source_on_the_page(site: Site) -> None:
    page, warnings, _ = site.build("# Front\n\n```{ppslab-list} device-speeds\n```\n")
    assert warnings == ""
    named = set(re.findall(r'href="#(device-source-\d+)"', page))
    assert named and named == set(re.findall(r'id="(device-source-\d+)"', page))
    for device in devices.load():
        assert f'<option value="{device.name}" data-code="{escape(device.code)}"' in page
    assert "devices.js" in page
    rows = re.findall(r"<tr.*?</tr>", page, re.DOTALL)
    hex_rows = [re.sub(r"<[^>]+>|\s+", " ", row) for row in rows if ">RB750Gr3<" in row]
    assert any("265.2" in row and "2025" in row for row in hex_rows)
    assert any("385.4" in row and "2018" in row for row in hex_rows)
