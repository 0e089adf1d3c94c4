"""Bond hashing: which link of a bond each connection takes, and how much the bond carries so."""

from __future__ import annotations

from typing import Any

from ppslab.models import bond_hash
from ppslab.models.bond_figure import columns
from ppslab.models.bond_flows import Flow, of_lines, of_pairs, of_servers
from ppslab.models.drawing import figure, fixed, short, table

TITLE = "Bond hashing"

TURNS = "turns"

POLICIES = [
    ["layer2", "layer-2: MAC addresses (RouterOS's default)"],
    ["layer2+3", "layer-2-and-3: MAC and IP addresses"],
    ["layer3+4", "layer-3-and-4: IP addresses and ports"],
    [TURNS, "balance-rr: packets in turn, no hash"],
]

CONTROLS: list[dict[str, Any]] = [
    {
        "kind": "preset",
        "name": "example",
        "label": "Begin with",
        "choices": [
            [
                "the article's twelve servers",
                {"flows": "servers", "pairs": 6, "streams": 30, "policy": "layer3+4", "links": 8},
            ],
            [
                "the same, by layer 2",
                {"flows": "servers", "pairs": 6, "streams": 30, "policy": "layer2", "links": 8},
            ],
            [
                "two servers, one stream",
                {"flows": "servers", "pairs": 1, "streams": 1, "policy": "layer3+4", "links": 8},
            ],
            ["what the lab measured", {"flows": "run", "policy": "layer3+4", "links": 8}],
        ],
    },
    {
        "kind": "choice",
        "name": "flows",
        "label": "Connections",
        "value": "servers",
        "choices": [
            ["servers", "pairs of the article's servers"],
            ["run", "those of the lab's newest run"],
            ["lines", "your own, as text"],
        ],
    },
    {
        "kind": "number",
        "name": "pairs",
        "label": "Pairs of servers, each both ways",
        "value": 6,
        "low": 1,
        "high": 6,
        "step": 1,
        "unit": "pairs",
        "when": ["flows", ["servers"]],
    },
    {
        "kind": "number",
        "name": "streams",
        "label": "Connections each way of a pair",
        "value": 30,
        "low": 1,
        "high": 60,
        "step": 1,
        "unit": "connections",
        "when": ["flows", ["servers"]],
        "help": "The article opened three times ten.",
    },
    {
        "kind": "choice",
        "name": "sizes",
        "label": "How much they carry",
        "value": "alike",
        "choices": [
            ["alike", "all of them as much"],
            ["greedy", "every tenth as much as twenty others"],
        ],
        "when": ["flows", ["servers"]],
    },
    {
        "kind": "text",
        "name": "lines",
        "label": "One connection a line",
        "rows": 6,
        "value": (
            "198.18.1.2:40000 198.18.2.2:5101 mac=02:00:c6:12:00:04\n"
            "198.18.1.2:40002 198.18.2.2:5101 mac=02:00:c6:12:00:04 weight=3\n"
            "[2001:2::2]:40000 [2001:2:0:1::2]:5101 mac=02:00:c6:12:00:04"
        ),
        "when": ["flows", ["lines"]],
        "help": "Source, target, the MAC address of the next hop, and how much it carries.",
    },
    {
        "kind": "choice",
        "name": "policy",
        "label": "Transmit hash policy",
        "value": "layer3+4",
        "choices": POLICIES,
    },
    {
        "kind": "number",
        "name": "links",
        "label": "Links in the bond",
        "value": 8,
        "low": 1,
        "high": 16,
        "step": 1,
        "unit": "links",
    },
    {
        "kind": "number",
        "name": "shown",
        "label": "Connection to work out by hand",
        "value": 1,
        "low": 1,
        "high": 720,
        "step": 1,
        "unit": "",
    },
]

# Of six times sixty streams; a text may name as many.
MOST = 720


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """Every connection's link, the share of the bytes of each link, and what the bond is worth.

    facts: `router` (MAC address), `servers` ([name, address, MAC address]), `pairs` (of names),
    `port_speed` in Gbit/s, `runs` of the newest record ([policy, measured shares, [client, server,
    its port, the server's port, bytes, bytes of acknowledgements]]), `record` (its name).
    """
    links, policy = int(inputs["links"]), inputs["policy"]
    if not 1 <= links <= 16:
        return _problem("links", f"The widget has bonds of 1 to 16 links; {links} is none.")
    flows: list[Flow]
    measured: list[float] = []
    if inputs["flows"] == "lines":
        flows, wrong = of_lines(inputs["lines"], facts, policy, MOST)
        if wrong:
            return _problem("lines", wrong)
    elif inputs["flows"] == "run":
        if not facts["runs"]:
            return _problem("flows", "No run of this lab is recorded: ppslab tcp hundred.")
        run = _run(facts["runs"], policy)
        flows = of_pairs(facts, run[2])
        if run[0] == policy and links == len(run[1]):
            measured = run[1]
    else:
        made = of_servers(int(inputs["pairs"]), int(inputs["streams"]), inputs["sizes"], facts)
        flows = of_pairs(facts, made)
    return _balance(flows, policy, links, measured, int(inputs["shown"]), facts)


def _run(runs: list[list[Any]], policy: str) -> list[Any]:
    """The run of a policy; where none was measured by it, the first one's connections."""
    for run in runs:
        if run[0] == policy:
            return run
    return runs[0]


def _balance(
    flows: list[Flow],
    policy: str,
    links: int,
    measured: list[float],
    shown: int,
    facts: dict[str, Any],
) -> dict[str, Any]:
    data = [flow for flow in flows if flow.data]
    total = sum([flow.weight for flow in flows])
    carried = [0.0] * links
    counts = [0] * links
    hashes = [0] * len(flows) if policy == TURNS else [flow.hash(policy) for flow in flows]
    for flow, found in zip(flows, hashes):  # noqa: B905 (MicroPython's zip has no strict)
        carried[found % links] += flow.weight
        counts[found % links] += flow.data
    if policy == TURNS:
        carried, counts = [total / links] * links, [0] * links
    shares = [each / total for each in carried]
    busiest = max(shares)
    worth = 1 / busiest
    speed = facts["port_speed"]
    used = sum([1 for share in shares if share > 0])
    says = [
        f"{len(data)} connections over {links} links: {used} of the links carry something, the "
        f"busiest one {fixed(100 * busiest, 1)} % of the bytes.",
        f"When that link is full, the bond carries what {fixed(worth, 2)} links carry: "
        f"{short(worth * speed)} of {short(links * speed)} Gbit/s, with ports of {short(speed)}.",
    ]
    warns = _warns(hashes, len(data), policy, links, used)
    if measured:
        missed = sum([abs(m - s) for m, s in zip(measured, shares)]) / 2  # noqa: B905 (MicroPython)
        says.append(
            f"The newest run ({facts['record']}) sent {fixed(100 * missed, 1)} % of its bytes by "
            "another link than the hash says; what was sent again is not in the prediction."
        )
    place = min(max(shown, 1), len(data)) - 1
    rows = [
        [f"link {n}", "-" if policy == TURNS else str(counts[n]), f"{fixed(100 * shares[n], 1)} %"]
        + ([f"{fixed(100 * measured[n], 1)} %"] if measured else [])
        for n in range(links)
    ]
    header = ["link", "connections", "bytes, by the hash"] + (
        ["bytes, measured"] if measured else []
    )
    tables = [table("The links of the bond, counted from 0", header, rows)]
    if policy != TURNS:
        tables.append(_by_hand(data[place], place + 1, policy, links))
    tables.append(_compared(data, links))
    alt = "; ".join([f"link {n}: {fixed(100 * shares[n], 1)} %" for n in range(links)])
    return {
        "says": says,
        "warns": warns,
        "figures": [figure("Bytes by link", columns(shares, measured), alt)],
        "tables": tables,
        "values": {
            "connections": len(data),
            "counts": counts,
            "shares": shares,
            "busiest": busiest,
            "worth": worth,
            "used": used,
            "measured": measured,
            "links": [h % links for f, h in zip(flows, hashes) if f.data],  # noqa: B905
        },
    }


def _warns(hashes: list[int], connections: int, policy: str, links: int, used: int) -> list[str]:
    if policy == TURNS:
        return [
            "Packets in turn fill every link alike, and packets of one connection overtake one "
            "another: TCP takes that for loss, and slows down."
        ]
    if used == links:
        return []
    idle = f"{links - used} of the links stay idle"
    if connections < links:
        return [f"{idle}: a connection keeps its link, and there are only {connections} of them."]
    values = {found % links for found in hashes}
    odd = {found % 2 for found in hashes}
    if policy == "layer2" and links % 2 == 0 and len(odd) == 1:
        return [
            f"{idle}: the last bytes of the MAC addresses make every hash "
            f"{'odd' if 1 in odd else 'even'}, so only every second link is ever taken."
        ]
    return [
        f"{idle}: what this policy looks at gives {len(values)} different links here, whatever "
        "the load is."
    ]


def _by_hand(flow: Flow, number: int, policy: str, links: int) -> dict[str, object]:
    """The hash of one connection, a row a step."""
    made = flow.steps(policy)
    rows = [
        [said, f"{value:x}"]
        for said, value in zip(bond_hash.named(policy), made)  # noqa: B905 (MicroPython)
    ]
    whole = made[-1]
    rows.append([f"remainder by {links} links", f"{whole % links} (of {whole})"])
    title = f"Connection {number} by hand: {flow.text()}"
    return table(title, ["exclusive or of", "value, hexadecimal"], rows)


def _compared(data: list[Flow], links: int) -> dict[str, object]:
    """The first connections by each policy."""
    rows = [
        [flow.text()] + [str(flow.hash(policy) % links) for policy in bond_hash.POLICIES]
        for flow in data[:8]
    ]
    return table(
        "The link of the first connections by each policy",
        ["connection", "layer-2", "layer-2-and-3", "layer-3-and-4"],
        rows,
    )


def _problem(name: str, says: str) -> dict[str, Any]:
    return {"problem": {"input": name, "says": says}}
