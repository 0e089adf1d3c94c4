"""The interfaces of a PPPoE server's sessions: bound to a user by a line, or dynamic."""

from __future__ import annotations

from ppslab.theory.packet_path.explain.network.interface_lists import unique
from ppslab.theory.packet_path.exports.rows import Rows

KIND = "pppoe-server"
SERVER, BOUND = "/interface/" + KIND + "/server", "/interface/" + KIND
DYNAMIC = "<pppoe-"
"""What the name of a dynamic one begins with; the user's follows, which no export says."""

MOST_FOLLOWED = 32
"""Interfaces of servers that a bound session is led over; the others are taken to be like them."""


def sessions(rows: Rows) -> dict[str, list[str]]:
    """Each with the interfaces that its frames may come in by; none where no server is on.

    The dynamic ones of a server's interface are one, which has no user's name.
    """
    below = unique([row.get("interface") for row in rows.of(SERVER) if row.get("interface")])
    found = {DYNAMIC + "> on " + each: [each] for each in below}
    for row in rows.of(BOUND) if below else []:
        if row.name:
            found[row.name] = below[:MOST_FOLLOWED]
    return found


def dynamic(name: str) -> bool:
    """Whether an interface is a session's that no line binds."""
    return name[: len(DYNAMIC)] == DYNAMIC
