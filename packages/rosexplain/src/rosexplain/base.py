"""The rules, facts, chips and defaults that an answer is decided by, as the package brings them."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_suffix(".json")


@lru_cache(maxsize=1)
def base() -> dict[str, Any]:
    """The rule base; who changes it changes it for all."""
    loaded: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return loaded
