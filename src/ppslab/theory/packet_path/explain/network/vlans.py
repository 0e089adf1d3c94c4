"""VLANs by number, as a bridge's table lists them."""

from __future__ import annotations


class Vlans:
    """Those of lists such as 10,20-29."""

    def __init__(self) -> None:
        self.single: set[int] = set()
        self.ranges: set[tuple[int, int]] = set()

    def add(self, listed: str) -> Vlans:
        """Take in those of a list; what is no number is in none."""
        for part in listed.split(","):
            first, _, last = part.partition("-")
            if not part.replace("-", "").isdigit():
                continue
            if last:
                self.ranges.add((int(first), int(last)))
            else:
                self.single.add(int(first))
        return self

    def has(self, number: str) -> bool:
        """Whether a VLAN is one of them."""
        if not number.isdigit():
            return False
        one = int(number)
        return one in self.single or any(first <= one <= last for first, last in self.ranges)


def tagged(table: list[tuple[str, str]]) -> dict[str, Vlans]:
    """Of each interface the VLANs that it is a tagged member of.

    `table`: for each line what it says of `tagged` and of `vlan-ids`.
    """
    found: dict[str, Vlans] = {}
    for names, listed in table:
        for name in names.split(","):
            found.setdefault(name, Vlans()).add(listed)
    return found
