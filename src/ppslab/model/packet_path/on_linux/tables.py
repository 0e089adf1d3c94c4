"""Rules of RouterOS's firewall as tables of nftables: one table for each list of rules."""

from __future__ import annotations

from ppslab.model.packet_path.on_linux import table, values
from ppslab.model.packet_path.on_linux.firewall import TRACKING, Marks, kind_of, rule
from ppslab.model.packet_path.on_linux.ports import Ports
from rosexplain.rows import Row, Rows

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
        never = _block("chain never-entered", ["ct state new counter"])
        made.append(nft("inet", "routeros-tracking", never))
    elif wanted == "no" and asked:
        made.append(nft("inet", "routeros-tracking", _untracked()))
    return made


def _untracked() -> list[str]:
    """With tracking off no packet has a state, whatever rules ask for it."""
    return [
        line
        for hook in ("prerouting", "output")
        for line in _block(
            "chain " + hook,
            [f"type filter hook {hook} priority raw; policy accept;", "notrack"],
        )
    ]


def _table(
    rows: Rows, menu: str, family: str, every: list[Row], ports: Ports, marks: Marks
) -> list[str]:
    chains: dict[str, list[str]] = {}
    for row in every:
        chain, text = rule(menu, [(name, row.get(name)) for name in row.names], ports, marks)
        chains.setdefault(chain, []).append(text)
    for row in every:
        if row.get("action") == "jump":
            chains.setdefault(row.get("jump-target"), [])
    matched = ("src-address-list", "dst-address-list")
    lists = dict.fromkeys(row.get(name).lstrip("!") for row in every for name in matched)
    made = [line for name in lists if name for line in _set(rows, family, name)]
    if any("flow add" in text for texts in chains.values() for text in texts):
        devices = ", ".join(ports.devices())
        hook = ["hook ingress priority filter", "devices = { " + devices + " }", "counter"]
        made += _block("flowtable fasttrack", hook)
    own = {name: rest for name, *rest in table.CHAINS[kind_of(menu)]}
    # nft knows a chain that is jumped to only once it was told of it.
    for name, texts in chains.items():
        if name not in own:
            made += _block("chain chain-" + name, texts)
    for name, (kind, hook_name, priority) in own.items():
        if name in chains:
            head = f"type {kind} hook {hook_name} priority {priority}; policy accept;"
            made += _block("chain " + name, [head, *chains[name]])
    return made


def _set(rows: Rows, family: str, name: str) -> list[str]:
    six = family == "ip6"
    menu = "/ipv6/firewall/address-list" if six else "/ip/firewall/address-list"
    networks = [
        values.network(row.get("address"), six) for row in rows.of(menu) if row.get("list") == name
    ]
    lines = [f"type {'ipv6_addr' if six else 'ipv4_addr'}", "flags interval", "auto-merge"]
    elements = ["elements = { " + ", ".join(networks) + " }"] if networks else []
    return _block("set list-" + name, lines + elements)


def _block(head: str, lines: list[str]) -> list[str]:
    return [head + " {", *("    " + line for line in lines), "}"]


def nft(family: str, name: str, lines: list[str]) -> str:
    """A command that puts a table in the place of the one that was there, in one step."""
    head = f"table {family} {name}"
    whole = [head, "delete " + head, *_block(head, lines)]
    return "nft -f - <<'PPSLAB'\n" + "\n".join(whole) + "\nPPSLAB"
