"""Whether a row on a router is the one that a statement means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ppslab.testbed.routers.routeros.api import Row
from ppslab.testbed.routers.routeros.rsc.statement import Statement, Test
from ppslab.testbed.routers.routeros.rsc.values import SECRETS, plain, same


def wanted_of(statement: Statement) -> dict[str, str]:
    """The properties that a statement wants, enable and disable as such too."""
    if statement.command in ("enable", "disable"):
        return {"disabled": "no" if statement.command == "enable" else "yes"}
    return dict(statement.properties)


def is_set(key: str, value: str, row: Mapping[str, Any]) -> bool:
    """Whether a property is as wanted; a secret never is, as RouterOS does not show it."""
    return key not in SECRETS and row.get(key) is not None and same(value, row[key])


def matches(properties: Mapping[str, str], row: Row) -> bool:
    """Whether a row is as the words say; secrets are not looked at, as RouterOS hides them."""
    return all(
        key in SECRETS or row.get(key) == value or same(value, row.get(key))
        for key, value in properties.items()
    )


def fits(test: Test, row: Row) -> bool:
    """Whether a row is one that a `find` with this condition finds."""
    shown_value = row.get(test.key)
    if test.op == "flag":
        there = shown_value is not None and (shown_value == "" or plain(shown_value) == "true")
        return there == (test.value == "yes")
    if shown_value is None:
        return False
    if test.op == "~":
        return re.search(test.value, shown_value) is not None
    return same(test.value, shown_value)
