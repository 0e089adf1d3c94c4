"""The words of `menu_words.yml`.  In a page `DATA` is there already: models-for-pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ppslab.base import documents

DATA: dict[str, Any] = documents.load_yaml(Path(__file__).with_suffix(".yml")).data
