"""What decides how much a chip takes that holds indexes of the address range, not prefixes.

MikroTik's manual (`l3hw-indexes`): routes that go the same way as the default route above them cost
next to nothing, so any number of them fits; each gap, and each route that goes another way, costs.
How many fit then no number of routes tells; the manual shows one worst case.

MicroPython runs this in pages: no dataclasses, no typing at run time.
"""

from __future__ import annotations

JOINED = "joined"
NO_DEFAULT = "no-default"
OTHER_WAYS = "other-ways"


def decides(routes: list[tuple[int, tuple[str, ...], int]]) -> tuple[str, int]:
    """Which of the three cases a family's routes are, and how many of them go another way.

    Each of `routes`: prefix length, next hops, and how many such there are.
    """
    default = [hops for length, hops, _ in routes if length == 0 and hops]
    if not default:
        return NO_DEFAULT, sum([count for _, _, count in routes])
    ways = sorted(default[0])
    other = sum([count for _, hops, count in routes if sorted(hops) != ways])
    return (OTHER_WAYS if other else JOINED), other
