"""Bond hashing: which link of a bond each connection takes, and how much the bond then carries."""

from __future__ import annotations

from typing import Any

from ppslab.core.text.language import gettext
from ppslab.course.models.drawn.bonding import columns
from ppslab.course.models.drawn.drawing import figure, fixed, short, table
from ppslab.model.bonding import ports
from ppslab.model.bonding.flows import Flow, of_lines, of_pairs, of_servers

TITLE = "Bond hashing"

TURNS = "turns"

POLICIES = [
    ["layer2", "layer-2: MAC addresses (RouterOS's default)"],
    ["layer2+3", "layer-2-and-3: MAC and IP addresses"],
    ["layer3+4", "layer-3-and-4: IP addresses and ports"],
    [TURNS, "balance-rr: round-robin, no hash"],
]

CONTROLS: list[dict[str, Any]] = [
    {
        "kind": "preset",
        "name": "example",
        "label": "Start from",
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
            ["the run that the lab measured", {"flows": "run", "policy": "layer3+4", "links": 8}],
        ],
    },
    {
        "kind": "choice",
        "name": "flows",
        "label": "Connections",
        "value": "servers",
        "choices": [
            ["servers", "pairs of the article's servers"],
            ["run", "the lab's newest run"],
            ["lines", "your own, as text"],
        ],
    },
    {
        "kind": "number",
        "name": "pairs",
        "label": "Pairs of servers, in both directions",
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
        "label": "Connections per pair, each way",
        "value": 30,
        "low": 1,
        "high": 60,
        "step": 1,
        "unit": "connections",
        "when": ["flows", ["servers"]],
        "help": "The article's test opened three times ten connections: 30.",
    },
    {
        "kind": "choice",
        "name": "sizes",
        "label": "Traffic per connection",
        "value": "alike",
        "choices": [
            ["alike", "the same on each connection"],
            ["greedy", "every tenth connection carries 20 times as much"],
        ],
        "when": ["flows", ["servers"]],
    },
    {
        "kind": "text",
        "name": "lines",
        "label": "One connection per line",
        "rows": 6,
        "value": (
            "198.18.1.2:40000 198.18.2.2:5101 mac=02:00:c6:12:00:04\n"
            "198.18.1.2:40002 198.18.2.2:5101 mac=02:00:c6:12:00:04 weight=3\n"
            "[2001:2::2]:40000 [2001:2:0:1::2]:5101 mac=02:00:c6:12:00:04"
        ),
        "when": ["flows", ["lines"]],
        "help": (
            "Source, destination, MAC address of the next hop, and weight of the connection's "
            "traffic."
        ),
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
        "label": "Connection to calculate step by step",
        "value": 1,
        "low": 1,
        "high": 720,
        "step": 1,
        "unit": "",
    },
]

# Six pairs, both ways, sixty streams each; a text may have as many.
MOST = 720


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """Every connection's link, the share of the bytes of each link, and what the bond is worth.

    facts: `router` (MAC address), `servers` ([name, address, MAC address]), `pairs` (of names),
    `port_speed` in Gbit/s, `runs` of the newest record ([policy, measured shares, [client, server,
    its port, the server's port, bytes, bytes of acknowledgements]]), `record` (its name).
    """
    links, policy = int(inputs["links"]), inputs["policy"]
    if not 1 <= links <= 16:
        return _problem(
            "links", gettext("The bond must have 1 to 16 links, not {links}.").format(links=links)
        )
    flows: list[Flow]
    measured: list[float] = []
    if inputs["flows"] == "lines":
        flows, wrong = of_lines(inputs["lines"], facts, policy, MOST)
        if wrong:
            return _problem("lines", wrong)
    elif inputs["flows"] == "run":
        if not facts["runs"]:
            return _problem(
                "flows",
                gettext("This lab has no recorded run yet. To record one, use ppslab tcp hundred."),
            )
        run = _run(facts["runs"], policy)
        flows = of_pairs(facts, run[2])
        if run[0] == policy and links == len(run[1]):
            measured = run[1]
    else:
        connections = of_servers(
            int(inputs["pairs"]), int(inputs["streams"]), inputs["sizes"], facts
        )
        flows = of_pairs(facts, connections)
    return _balance(flows, policy, links, measured, int(inputs["shown"]), facts)


def _run(runs: list[list[Any]], policy: str) -> list[Any]:
    """The run with this policy; where there is none, the first run."""
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
    for flow, value in zip(flows, hashes):  # noqa: B905 (MicroPython's zip has no strict)
        carried[value % links] += flow.weight
        counts[value % links] += flow.data
    if policy == TURNS:
        carried, counts = [total / links] * links, [0] * links
    shares = [each / total for each in carried]
    busiest = max(shares)
    worth = 1 / busiest
    speed = facts["port_speed"]
    used = sum([1 for share in shares if share > 0])
    says = [
        gettext(
            "{data} connections over {links} links: {used} of the links carry traffic, "
            "and the busiest one carries {busiest} % of the bytes."
        ).format(data=len(data), links=links, used=used, busiest=fixed(100 * busiest, 1)),
        gettext(
            "When that link is full, the bond carries as much as {worth} links: {worth_2} of "
            "{links} Gbit/s, with {speed} ports."
        ).format(
            worth=fixed(worth, 2),
            worth_2=short(worth * speed),
            links=short(links * speed),
            speed=short(speed),
        ),
    ]
    warns = _warns(hashes, len(data), policy, links, used)
    if measured:
        missed = sum([abs(m - s) for m, s in zip(measured, shares)]) / 2  # noqa: B905 (MicroPython)
        says.append(
            gettext(
                "In the newest run ({record}), {missed} % of the bytes took another link than "
                "predicted; the prediction does not include retransmissions."
            ).format(record=facts["record"], missed=fixed(100 * missed, 1))
        )
    place = min(max(shown, 1), len(data)) - 1
    rows = [
        [f"link {n}", "-" if policy == TURNS else str(counts[n]), f"{fixed(100 * shares[n], 1)} %"]
        + ([f"{fixed(100 * measured[n], 1)} %"] if measured else [])
        for n in range(links)
    ]
    header = ["link", "connections", gettext("bytes, predicted")] + (
        [gettext("bytes, measured")] if measured else []
    )
    tables = [table(gettext("Links of the bond, numbered from 0"), header, rows)]
    if policy != TURNS:
        tables.append(_by_hand(data[place], place + 1, policy, links))
    tables.append(_compared(data, links))
    alt = "; ".join(
        [
            gettext("link {n}: {shares} %").format(n=n, shares=fixed(100 * shares[n], 1))
            for n in range(links)
        ]
    )
    return {
        "says": says,
        "warns": warns,
        "figures": [figure(gettext("Bytes per link"), columns(shares, measured), alt)],
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
            gettext(
                "Round-robin fills all links equally, but packets of one connection overtake one "
                "another. TCP mistakes the reordering for loss and slows down."
            )
        ]
    if used == links:
        return []
    idle = gettext("{links} of the links stay idle").format(links=links - used)
    if connections < links:
        return [
            gettext(
                "{idle}: a connection stays on its link, and there are only {connections}."
            ).format(idle=idle, connections=connections)
        ]
    values = {value % links for value in hashes}
    odd = {value % 2 for value in hashes}
    if policy == "layer2" and links % 2 == 0 and len(odd) == 1:
        return [
            gettext(
                "{idle}: the last bytes of the MAC addresses make every hash {value}, so only "
                "every second link is used."
            ).format(idle=idle, value="odd" if 1 in odd else "even")
        ]
    return [
        gettext(
            "{idle}: with these connections, the fields that this policy hashes select only "
            "{values} links, whatever the load."
        ).format(idle=idle, values=len(values))
    ]


def _by_hand(flow: Flow, number: int, policy: str, links: int) -> dict[str, object]:
    """The hash of one connection, a row a step."""
    values = flow.steps(policy)
    rows = [
        [name, f"{value:x}"]
        for name, value in zip(ports.named(policy), values)  # noqa: B905 (MicroPython)
    ]
    whole = values[-1]
    rows.append(
        [gettext("modulo {links} links").format(links=links), f"{whole % links} (of {whole})"]
    )
    title = gettext("Connection {number}, step by step: {text}").format(
        number=number, text=flow.text()
    )
    return table(title, [gettext("XOR of"), gettext("value, hexadecimal")], rows)


def _compared(data: list[Flow], links: int) -> dict[str, object]:
    """The links of the first connections under each policy."""
    rows = [
        [flow.text()] + [str(flow.hash(policy) % links) for policy in ports.POLICIES]
        for flow in data[:8]
    ]
    return table(
        gettext("Links that each policy selects for the first connections"),
        [
            gettext("connection"),
            gettext("layer-2"),
            gettext("layer-2-and-3"),
            gettext("layer-3-and-4"),
        ],
        rows,
    )


def _problem(name: str, says: str) -> dict[str, Any]:
    return {"problem": {"input": name, "says": says}}
