"""The rows of an export's menus, found by a value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rosexplain.parse import parsed, rows_of

MANY = 500
LISTS = "/interface list\n" + "add name=WAN\nadd name=LAN\nadd disabled=yes name=WAN\n" * MANY

MOVED = """/interface list
add name=WAN comment=first
add name=LAN
add name=WAN comment=second
move [find comment=second] destination=0
set [find comment=first] name=LAN
set [find comment=first] name=WAN
"""


class Looked(list[Any]):
    """A list that counts the elements at which somebody looked for one."""

    looks = 0

    def __iter__(self) -> Iterator[Any]:
        self.looks += len(self)
        return super().__iter__()

    def index(self, *args: Any) -> int:
        place = super().index(*args)
        self.looks += place + 1
        return place


def test_rows_with_a_value_come_in_their_order_and_all_are_looked_at_once() -> None:
    """A place for each row would be 250 000 looks: exports of thousands of rows took a minute."""
    rows = rows_of([parsed(LISTS, "router.rsc")])
    menu = rows.menus["/interface/list"]
    menu.rows = looked = Looked(menu.rows)
    found = rows.where("/interface/list", "name", "WAN")
    assert len(found) == MANY
    assert looked.looks <= 2 * len(looked)
    assert [id(row) for row in found] == [id(row) for row in rows.of("/interface/list")][::2]


def test_rows_with_a_value_stand_where_they_were_moved_to() -> None:
    rows = rows_of([parsed(MOVED, "router.rsc")])
    found = rows.where("/interface/list", "name", "WAN")
    assert [row.get("comment") for row in found] == ["second", "first"]
