"""The chapter "Measuring" in a reader's browser: recorded searches and faults.

In the browser's package this is `ppslab.course.measuring`.
"""

from typing import Any

from ppslab.course.measuring.delays import two_delays
from ppslab.course.measuring.wires import wire
from ppslab.course.site import browser
from ppslab.model.meters import table as meters

__all__ = ["meters", "two_delays", "wire"]


def __getattr__(name: str) -> Any:
    """`ports`, `compare`, `break_it` and so on, as they answered when the site was built."""
    return getattr(browser.load("measuring"), name)
