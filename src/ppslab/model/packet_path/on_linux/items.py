"""What stands on the Linux router, piece by piece, and the interfaces by their names."""

from __future__ import annotations

from ppslab.model.packet_path.on_linux import values


class Item:
    """A piece of the router's configuration.

    `do` and `undo` are lines of a shell; `replaces`: `do` takes the place of an older one of the
    same key by itself.
    """

    def __init__(self, key: str, do: str, undo: str, replaces: bool = False) -> None:
        self.key = key
        self.do = do
        self.undo = undo
        self.replaces = replaces


def between(old: list[Item], new: list[Item]) -> list[str]:
    """The lines that lead from one state to the other."""
    before = {item.key: item for item in old}
    after = {item.key: item for item in new}
    made = []
    for item in reversed(old):
        now = after.get(item.key)
        if item.undo and (now is None or (now.do != item.do and not now.replaces)):
            made.append(item.undo)
    for item in new:
        was = before.get(item.key)
        if was is None or was.do != item.do:
            made.append(item.do)
    return made


class Ports:
    """Interfaces of RouterOS and the devices of Linux that stand for them.

    `wired`: names and devices of the router's ports; `more`: those that commands made or renamed.
    """

    def __init__(self, wired: list[tuple[str, str]]) -> None:
        self.wired = wired
        self.more: list[tuple[str, str]] = []

    def device(self, name: str) -> str:
        """The device of an interface."""
        for called, device in self.more + self.wired:
            if name == called:
                return device
        names: list[str] = []
        for called, _ in self.more + self.wired:
            if called not in names:
                names.append(called)
        raise values.refuse(
            f"no interface '{values.shown(name)}' here: there are {', '.join(names)}"
        )

    def devices(self) -> list[str]:
        """The devices of the ports, each once."""
        made: list[str] = []
        for _, device in self.wired:
            if device not in made:
                made.append(device)
        return made
