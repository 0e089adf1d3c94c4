"""The tasks of a page with the router: which there are, and which are proved each day."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from ppslab.course import page_tasks
from ppslab.course.tasks import reading
from ppslab.model.lab import lab
from ppslab.testbed.backends import page_router

ROOT = Path(__file__).resolve().parents[4]
CONTENTS = page_router.load(ROOT / "images/page-router")

LABS = ("fastpath", "fasttrack", "queues", "hundred", "eoip", "l3offload")
"""Those whose page has a router with their tasks."""

EVERY = os.environ.get("PPSLAB_EVERY_LAB") == "1"
DAY = datetime.now(UTC).toordinal()
TASKS = "document.querySelector('.ppslab-router').router.tasks"


def names(which: str) -> list[str]:
    return [each["name"] for each in planned(which)]


@cache
def planned(which: str) -> list[dict[str, Any]]:
    """The tasks of a lab's page, as its directive plans them."""
    made: list[dict[str, Any]] = page_tasks.plan(reading.load(lab.find(which)), CONTENTS)["tasks"]
    return made
