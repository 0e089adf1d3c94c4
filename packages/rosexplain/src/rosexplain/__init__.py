"""Which path the packets of a RouterOS export take, and the line that decides it.

    from rosexplain import explain, read_export
    explanation = explain([read_export(text, "router.rsc")])

Nothing here reads a file but `base` and `__main__`: the rest runs in MicroPython too, without this
module, since a page brings only the modules that it imports.
"""

from __future__ import annotations

from typing import Any

from rosexplain import classify
from rosexplain.base import base as rule_base
from rosexplain.classify import Explanation
from rosexplain.parse import Command, Export
from rosexplain.parse import parsed as read_export

__all__ = ["Explanation", "Export", "explain", "read_export"]


def explain(
    exports: list[Export],
    without: list[tuple[str, int]] | None = None,
    evidence: list[Command] | None = None,
    rules: dict[str, Any] | None = None,
) -> Explanation:
    """Explain the exports of one router; `report.Answer` makes data and sentences of it.

    `without`: lines that are taken as gone, by file and number; `evidence`: what the router printed
    (`printed.news`); `rules`: the rule base, without one the package's own.
    """
    return classify.explain(exports, rules or rule_base(), without, evidence)
