"""What is asked of a page by its class: to join, and what the board knows."""

from __future__ import annotations

from tests.ppslab_class.class_room import ClassRoom
from tests.system.browser.visits import Visit


def join(visit: Visit, room: ClassRoom, code: str) -> None:
    visit.page.goto(f"{room.address}/workshop")
    visit.page.fill("#code", code.lower())
    visit.page.click("button")
    visit.page.wait_for_url(lambda address: "/join" not in address)


def api(visit: Visit, address: str) -> list[str]:
    return [asked for asked in visit.asked if "/api/" in asked and asked.startswith(address)]
