"""Rules of RouterOS's firewall as tables of nftables: one table for each list of rules."""

from __future__ import annotations

from ppslab.model.packet_path.on_linux import table, values
from ppslab.model.packet_path.on_linux.firewall import TRACKING, Marks, kind_of, rule
from ppslab.model.packet_path.on_linux.ports import Ports
from rosexplain.parse import Row, Rows

_TRACKS = ("ct ", "type nat", "flow add")


def tables(rows: Rows, ports: Ports, marks: Marks) -> list[str]:
    """Every table of nft that the rules come to, and connection tracking."""
    made: list[str] = []
    tracked, asked = False, False
    for menu, family in table.FIREWALLS.items():
        every = rows.of(menu)
        if every:
            text = _table(rows, menu, family, every, ports, marks)
            settings = rows.single("/ipv6/settings" if family == "ip6" else "/ip/settings")
            if settings and settings.get("allow-fast-path") in ("no", "false"):
                # The rule counts what it matches, and FastTrack takes nothing.
                text = [line.replace(" flow add @fasttrack", "") for line in text]
            made.append(nft(family, "routeros-" + kind_of(menu), text))
            tracked = tracked or family != "bridge"
            asked = asked or any(word in line for line in text for word in _TRACKS)
    single = rows.single(TRACKING)
    wanted = single.get("enabled", "auto") if single else "auto"
    if wanted == "yes" or (wanted == "auto" and tracked):
        never = ["chain never-entered {", "    ct state new counter", "}"]
        made.append(nft("inet", "routeros-tracking", never))
    elif wanted == "no" and asked:
        made.append(nft("inet", "routeros-tracking", _untracked()))
    return made


def _untracked() -> list[str]:
    """With tracking off no packet has a state, whatever rules ask for it."""
    made: list[str] = []
    for hook in ("prerouting", "output"):
        head = f"    type filter hook {hook} priority raw; policy accept;"
        made += ["chain " + hook + " {", head, "    notrack", "}"]
    return made


def _table(
    rows: Rows, menu: str, family: str, every: list[Row], ports: Ports, marks: Marks
) -> list[str]:
    own = table.CHAINS[kind_of(menu)]
    chains: list[tuple[str, list[str]]] = []
    targets: list[str] = []
    lists: list[str] = []
    fast = False
    for row in every:
        pairs = [(name, row.get(name)) for name in row.names]
        chain, text = rule(menu, pairs, ports, marks)
        fast = fast or "flow add" in text
        _chain(chains, chain).append(text)
        if row.get("action") == "jump":
            targets.append(row.get("jump-target"))
        for name in ("src-address-list", "dst-address-list"):
            named = row.get(name).lstrip("!")
            if named and named not in lists:
                lists.append(named)
    for each in targets:
        _chain(chains, each)
    made: list[str] = []
    for each in lists:
        made += _set(rows, family, each)
    if fast:
        devices = ", ".join(ports.devices())
        made += ["flowtable fasttrack {", "    hook ingress priority filter",
                 "    devices = { " + devices + " }", "    counter", "}"]  # fmt: skip
    names = [each[0] for each in own]
    # nft knows a chain that is jumped to only once it was told of it.
    for name, texts in chains:
        if name not in names:
            made += ["chain chain-" + name + " {"] + ["    " + text for text in texts] + ["}"]
    for name, of, hook, priority in own:
        for chain, texts in chains:
            if chain == name:
                head = f"    type {of} hook {hook} priority {priority}; policy accept;"
                made += ["chain " + name + " {", head] + ["    " + text for text in texts] + ["}"]
    return made


def _chain(chains: list[tuple[str, list[str]]], name: str) -> list[str]:
    for each, texts in chains:
        if each == name:
            return texts
    chains.append((name, []))
    return chains[-1][1]


def _set(rows: Rows, family: str, name: str) -> list[str]:
    six = family == "ip6"
    menu = "/ipv6/firewall/address-list" if six else "/ip/firewall/address-list"
    found = [values.network(row.get("address"), six) for row in rows.of(menu)
             if row.get("list") == name]  # fmt: skip
    kept = f"    type {'ipv6_addr' if six else 'ipv4_addr'}"
    made = ["set list-" + name + " {", kept, "    flags interval", "    auto-merge"]
    return made + (["    elements = { " + ", ".join(found) + " }"] if found else []) + ["}"]


def nft(family: str, name: str, lines: list[str]) -> str:
    """A command that puts a table in the place of the one that was there, in one step."""
    head = f"table {family} {name}"
    whole = [head, "delete " + head, head + " {", *("    " + line for line in lines), "}"]
    return "nft -f - <<'PPSLAB'\n" + "\n".join(whole) + "\nPPSLAB"
