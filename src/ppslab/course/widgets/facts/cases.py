"""Facts of `cases`: the rule base, every case with its answers and solutions, the properties."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ppslab.course import cases
from ppslab.course.cases.properties import properties
from rosexplain.base import base as rule_base


@lru_cache(maxsize=1)
def facts() -> dict[str, Any]:
    """The facts of the model: `base`, `cases`, `properties`."""
    return {
        "base": rule_base(),
        "cases": {name: cases.plain(case) for name, case in cases.every()},
        "properties": properties(),
    }
