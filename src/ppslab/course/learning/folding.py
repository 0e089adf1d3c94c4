"""The folded parts of a page: their words are there when the reader opens them."""

from __future__ import annotations

CLASS = "dropdown"
"""The mark of a section that is closed: `{.dropdown}` in the line before its heading."""

OPEN = "dropdown-open"
"""Beside it: the reader meets the section open."""

CONDITIONS = "conditions"
"""The view of a lab's conditions; the section with this table is closed without a mark."""

DIRECTIVES = frozenset({"dropdown", "ppslab-goals"})
"""The directives whose body is closed, unless they have the option `open`."""
