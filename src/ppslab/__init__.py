"""How fast a MikroTik RouterOS router forwards packets, and why: every number runs again."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ppslab.browser.labs import BrowserLab
    from ppslab.notebook import OpenLab

__version__ = "0.1.0"


def open(name: str) -> OpenLab | BrowserLab:
    """Open a lab for a notebook: `lab = ppslab.open("fastpath")`.

    UsageError names the near ones where there is no lab `name`.
    """
    if sys.platform == "emscripten":
        from ppslab import browser  # noqa: PLC0415

        return browser.open_lab(name)
    # Here, since an agent in a guest imports the package and needs no figures.
    from ppslab.notebook import open_lab  # noqa: PLC0415

    return open_lab(name)
