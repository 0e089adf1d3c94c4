"""Scripts that the router runs by itself: what they may change of what an export shows."""

from __future__ import annotations

from rosexplain.rows import Rows
from rosexplain.secrets import STRUCK

TEXTS = (("/system/script", "source"), ("/system/scheduler", "on-event"),
         ("/tool/netwatch", "up-script"), ("/tool/netwatch", "down-script"),
         ("/ip/dhcp-client", "script"), ("/ip/dhcp-server", "lease-script"),
         ("/ppp/profile", "on-up"), ("/ppp/profile", "on-down"),
         ("/interface/vrrp", "on-master"), ("/interface/vrrp", "on-backup"))  # fmt: skip
"""The properties with scripts."""


FIREWALL = "firewall"
NO_RULES = ("address-list", "connection", "layer7-protocol", "service-port")
"""Menus of the firewall that have no rules."""


def may_change(rows: Rows, word: str) -> bool:
    """Return True if a script names a menu by this word: `queue` of `/queue simple set a`.

    Of FIREWALL, the menus without rules do not count: many scripts fill address lists.
    """
    for menu, name in TEXTS:
        for row in rows.of(menu):
            text = row.get(name).replace("/", " ")
            for part in NO_RULES:
                text = text.replace(FIREWALL + " " + part, "")
            if word in text or text == STRUCK:
                return True
    return False
