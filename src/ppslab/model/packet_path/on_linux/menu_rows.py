"""The rows of a menu with RouterOS's defaults and Linux's counters, as a task's check asks.

What nobody typed is as RouterOS has it by default, whatever the port of Linux is: its MTU, say.
"""

from __future__ import annotations

from ppslab.model.packet_path.on_linux import checking, counters, firewall, table
from ppslab.model.packet_path.on_linux.items import Ports
from rosexplain.parse import Row, Rows

OF_CONNECTIONS = ("protocol", "src-address", "dst-address", "reply-src-address",
                  "reply-dst-address", "tcp-state", "timeout", "seen-reply", "assured",
                  "fasttrack")  # fmt: skip
DEFAULTS = [("/queue/tree", "priority", "8"), ("/interface/ethernet", "mtu", "1500")]
"""What a row says that nobody set (MikroTik's manual)."""


def names(menu: str) -> list[str]:
    """The properties that a row of a menu can have here; empty: no such menu."""
    if menu == counters.CONNECTIONS:
        return list(OF_CONNECTIONS)
    if menu not in table.menus():
        return []
    found = checking.properties_of(menu)
    if checking.is_rules(menu):
        kind = firewall.kind_of(menu)
        found = ["chain", "action"] + firewall.matchers(firewall.family_of(menu), kind)
        found += [name for _, kinds, own, _ in table.ACTIONS if kind in kinds for name in own]
        found += ["bytes", "packets"]
    elif menu == "/queue/type":
        found = found + [place[0] for _, _, places in table.KINDS for place in places]
    elif menu == "/queue/tree":
        found = found + ["bytes", "packets", "dropped"]
    elif menu == "/queue/interface":
        found = found + ["interface"]
    return found if menu in table.SINGLE else found + ["disabled", "comment"]


def asks(menu: str, ports: Ports) -> str:
    """The command whose output has what only Linux knows of a menu; empty: nothing."""
    if menu == counters.CONNECTIONS:
        return counters.LIST
    return "" if menu in counters.LINKS else counters.asks(menu, ports)


def rows(menu: str, said: str | None, typed: Rows, ports: Ports) -> list[dict[str, str]]:
    """The rows; `said`: what Linux answered to `asks`, None where it was not asked: no counters."""
    if menu in table.SINGLE:
        single = typed.single(menu)
        made = {}
        for name in checking.properties_of(menu):
            made[name] = (single.get(name) if single else "") or table.DEFAULTS.get(name, "")
        return [made]
    if menu == counters.CONNECTIONS:
        return [_of(pairs) for pairs in counters.connections(said or "")]
    counted = counters.of_rows(menu, said, typed, ports) if said and counters.known(menu) else []
    made_rows = []
    for number, row in enumerate(typed.all_of(menu)):
        made = _row(menu, row)
        if number < len(counted):
            for name, value in counted[number]:
                made[name] = value
        made_rows.append(made)
    return made_rows


def _row(menu: str, row: Row) -> dict[str, str]:
    made = {}
    for path, name, value in DEFAULTS:
        if path == menu:
            made[name] = value
    if checking.is_rules(menu):
        made["action"] = "accept"
    for name in row.names:
        made[name] = row.get(name)
    made["disabled"] = "no" if row.on else "yes"
    if menu == "/queue/interface":
        made["interface"] = row.get("interface") or row.key
    if menu == "/interface/ethernet" and "name" not in made:
        made["name"] = row.get("default-name") or row.key
    return made


def _of(pairs: list[tuple[str, str]]) -> dict[str, str]:
    made = {}
    for name, value in pairs:
        made[name] = value
    return made
