"""Scripts that the router runs by itself: what they may change of what an export shows."""

from __future__ import annotations

from collections.abc import Iterator

from rosexplain.rows import Row, Rows
from rosexplain.secrets import STRUCK

SCRIPT, SOURCE = "/system/script", "source"
"""The menu and the property of the scripts that others run by their names."""
RUN = (("/system/scheduler", "on-event"),
       ("/tool/netwatch", "up-script"), ("/tool/netwatch", "down-script"),
       ("/ip/dhcp-client", "script"), ("/ip/dhcp-server", "lease-script"),
       ("/ip/hotspot/user/profile", "on-login"), ("/ip/hotspot/user/profile", "on-logout"),
       ("/ppp/profile", "on-up"), ("/ppp/profile", "on-down"),
       ("/interface/vrrp", "on-master"), ("/interface/vrrp", "on-backup"))  # fmt: skip
"""The properties whose scripts RouterOS runs by itself."""
EVERY = ((SCRIPT, SOURCE),) + RUN
FIREWALL = "firewall"
NO_RULES = ("firewall address-list", "firewall connection", "firewall layer7-protocol",
            "firewall service-port")  # fmt: skip
"""Menus of the firewall that have no rules."""


def may_change(rows: Rows, words: str) -> bool:
    """Return True if a script names a menu: `queue` or `ip route`, or its text is struck out.

    Of FIREWALL, the menus without rules do not count: many scripts fill address lists.
    """
    for menu, name in EVERY:
        for row in rows.of(menu):
            text = row.get(name).replace("/", " ")
            for part in NO_RULES:
                text = text.replace(part, "")
            if words in text or text == STRUCK:
                return True
    return False


ENDS_NAME = '";{}[]'
"""Letters beside a script's name: `{/system script run a}`."""


def run_by(rows: Rows, row: Row, name: str) -> list[str]:
    """The texts that a property of RUN runs: its own, and the scripts that it names."""
    text = row.get(name)
    words = "".join([" " if letter in ENDS_NAME else letter for letter in text]).split()
    return [text] + [one.get(SOURCE) for one in rows.of(SCRIPT)
                     if one.name in text
                     and (one.name in words or one.name == text or '"' + one.name + '"' in text)
                     ]  # fmt: skip


def run(rows: Rows) -> Iterator[tuple[Row, str, str]]:
    """The rows of RUN, each with its property and all text that it runs."""
    for menu, name in RUN:
        for row in rows.of(menu):
            yield row, name, "\n".join(run_by(rows, row, name))


def does(text: str, menus: tuple[str, ...], verbs: tuple[str, ...]) -> bool:
    """Return True if a script does something in a menu: `/queue simple add name=a`."""
    if not any(verb in text for verb in verbs):
        return False
    for letter in "/{[(;":
        text = text.replace(letter, " ")
    words = text.split()
    paths = [menu[1:].split("/") for menu in menus]
    named = any(words[at : at + len(path)] == path for path in paths for at in range(len(words)))
    return named and any(word in verbs for word in words)
