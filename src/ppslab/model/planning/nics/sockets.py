"""What crosses between the sockets of a server when ports of all of them are one bond."""

from __future__ import annotations


def crossing_share(ports: list[int]) -> float:
    """The share of the frames that come in on one socket and leave by another, 0 to 1.

    `ports`: how many ports of the bond each socket has; the ports are hit alike.

    >>> crossing_share([4, 8])
    0.4444444444444444
    """
    total = sum(ports)
    return 1 - sum([(count / total) * (count / total) for count in ports])


def touching_share(ports: list[int], serving: int) -> float:
    """The share of the frames that come in or leave elsewhere than on the socket that serves them.

    `serving`: the place of that socket in `ports`.

    >>> round(touching_share([4, 8], 1), 3)
    0.556
    """
    here = ports[serving] / sum(ports)
    return 1 - here * here
