"""Measure how fast a MikroTik RouterOS router forwards packets, and why."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ppslab.core.version import VERSION

if TYPE_CHECKING:
    from ppslab.course.notebook.notebook import OpenLab
    from ppslab.course.site.browser import RecordedLab

__version__ = VERSION


def open(name: str) -> OpenLab | RecordedLab:
    """Open a lab for a notebook: `lab = ppslab.open("fastpath")`.

    UsageError names the near ones where there is no lab `name`.
    """
    if sys.platform == "emscripten":
        from ppslab.course.site import browser  # noqa: PLC0415

        return browser.open_lab(name)
    # Here, since an agent in a guest imports the package and needs no figures.
    from ppslab.course.notebook.notebook import open_lab  # noqa: PLC0415

    return open_lab(name)
