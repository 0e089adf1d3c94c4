"""Queues as tc has them: a tree of HTB at each port, and a table of nft that finds the class.

RouterOS keeps its simple queues in one list for all ports and takes the first that fits; here
each port has a class for each of them, and a chain behind the forwarding asks them in order.
"""

from __future__ import annotations

from ppslab.model.packet_path.on_linux import table, values
from ppslab.model.packet_path.on_linux.firewall import Marks
from ppslab.model.packet_path.on_linux.items import Item, Ports
from ppslab.model.packet_path.on_linux.tables import nft
from ppslab.model.packet_path.on_linux.values import refuse
from rosexplain.parse import Row, Rows

EVERY = "every"


class Class:
    """A class of HTB: its rates, its queue, and what brings a packet there.

    `mark`: its number; EVERY: what nothing else takes; empty: the chain of simple queues says it.
    """

    def __init__(self, rate: str, ceil: str, leaf: str, mark: str = "") -> None:
        self.rate = rate
        self.ceil = ceil
        self.leaf = leaf
        self.mark = mark


def leaf(rows: Rows, name: str) -> str:
    """What tc says for a type of queue."""
    for row in rows.of("/queue/type"):
        if row.get("name") == name:
            return kind(_given(row))
    if name in table.BUILT_IN:
        return table.BUILT_IN[name]
    raise refuse(f"queue: no type '{values.shown(name)}' that has a translation here")


def kind(given: dict[str, str]) -> str:
    """What tc says for a row of /queue/type."""
    for name, template, places in table.KINDS:
        if name == given["kind"]:
            known = [each[0] for each in places]
            for each in given:
                if each not in known and each not in ("name", "kind", "comment", "disabled"):
                    raise refuse(f"{values.shown(each)}: no translation for the kind {name}")
            packet = given.get("red-avg-packet", "1000")
            for place, of, default in places:
                try:
                    word = _word(of, given.get(place, default), packet)
                except values.RefusedError as error:
                    raise refuse(f"{place}: {error.args[0]}") from None
                template = template.replace("{" + place + "}", word)  # noqa: PLW2901
            return template
    why = table.NO_KIND.get(given["kind"], "no queue of Linux is like it that is known here")
    raise refuse(f"kind={values.shown(given['kind'])}: no translation, as {why}")


def _word(of: str, text: str, packet: str) -> str:
    if of == "time":
        return values.seconds(text)
    if of == "ecn":
        return " ecn" if values.yes_or_no(text) else " noecn"
    if of == "word":
        if text not in table.WORDS:
            raise refuse(f"'{values.shown(text)}' is no mode of CAKE that is known here")
        return text
    count = values.number(text, 1, 100000000)
    return str(count * values.number(packet, 1, 65535) if of == "packets" else count)


def two(text: str, otherwise: str = "") -> tuple[str, str]:
    """UPLOAD/DOWNLOAD; one value is both."""
    up, slash, down = text.partition("/")
    return up or otherwise, (down if slash else up) or otherwise


def check(menu: str, given: dict[str, str], rows: Rows, ports: Ports) -> None:
    """RefusedError where a row's values have no translation."""
    if menu == "/queue/type":
        values.name(given["name"])
        kind(given)
    elif menu == "/queue/simple":
        _targets(given["target"])
        _simple(given, rows)
    elif menu == "/queue/tree":
        if given["parent"] != "global":
            ports.device(given["parent"])
        elif not given.get("packet-mark"):
            raise refuse("packet-mark: a queue below global needs one")
        _tree(given, rows, Marks())
    elif given.get("queue"):
        leaf(rows, given["queue"])


def _targets(text: str) -> list[str]:
    try:
        return [values.prefix(each, False) for each in text.split(",")]
    except values.RefusedError as error:
        raise refuse(f"target: {error.args[0]}") from None


def _rates(given: dict[str, str]) -> list[tuple[str, str]]:
    """Rate and ceiling for what a queue uploads, and for what it downloads."""
    made = []
    for at in (0, 1):
        words = []
        for name in ("max-limit", "limit-at"):
            try:
                words.append(values.rate(two(given.get(name, ""), "0")[at]))
            except values.RefusedError as error:
                raise refuse(f"{name}: {error.args[0]}") from None
        ceil = words[0] or table.NO_LIMIT
        made.append((words[1] or ceil, ceil))
    return made


def _simple(given: dict[str, str], rows: Rows) -> list[Class]:
    types = two(given.get("queue", ""), "default-small")
    made = []
    for at, (rate, ceil) in enumerate(_rates(given)):
        made.append(Class(rate, ceil, leaf(rows, types[at]) if "queue" in given else ""))
    return made


def _tree(given: dict[str, str], rows: Rows, marks: Marks) -> Class:
    rate, ceil = _rates(given)[0]
    mark = marks.number(given["packet-mark"]) if given.get("packet-mark") else EVERY
    return Class(rate, ceil, leaf(rows, given["queue"]) if given.get("queue") else "", mark)


def _given(row: Row) -> dict[str, str]:
    return {name: row.get(name) for name in row.names}


def items(rows: Rows, ports: Ports, marks: Marks) -> list[Item]:
    """What the queues come to: a tree at each port, and the table that sorts packets into it."""
    trees: dict[str, list[Class]] = {device: [] for device in ports.devices()}
    sorting: list[str] = []
    for row in rows.of("/queue/simple"):
        given = _given(row)
        up, down = _simple(given, rows)
        same = (up.rate, up.ceil, up.leaf) == (down.rate, down.ceil, down.leaf)
        for device in ports.devices():
            trees[device] += [up] if same else [up, down]
        last = len(trees[ports.devices()[0]])
        for target in _targets(given["target"]):
            place = f"1:{last if same else last - 1:x}"
            sorting.append(f"ip saddr {target} counter meta priority set {place} accept")
            sorting.append(f"ip daddr {target} counter meta priority set 1:{last:x} accept")
    if sorting:
        # Simple queues have their numbers on every port alike; a tree's would be between them.
        if rows.of("/queue/tree"):
            raise refuse(
                "/queue/simple and /queue/tree at once: no translation, "
                "as a port of Linux has one tree"
            )
        head = "    type filter hook postrouting priority mangle; policy accept;"
        sorting = ["chain postrouting {", head] + ["    " + each for each in sorting] + ["}"]
    for row in rows.of("/queue/tree"):
        given = _given(row)
        made = _tree(given, rows, marks)
        every = ports.devices() if given["parent"] == "global" else [ports.device(given["parent"])]
        for device in every:
            trees.setdefault(device, []).append(made)
    alone = _interfaces(rows, ports)
    found = [nft("ip", "routeros-queues", sorting)] if sorting else []
    for device in ports.devices():
        if trees[device] and alone.get(device):
            raise refuse(f"/queue/interface and a tree of queues at {device}: no translation, as a "
                         "port of Linux has one of them")  # fmt: skip
        lines = _lines(device, trees[device])
        if alone.get(device):
            lines = [f"qdisc add dev {device} root handle 1: {alone[device]}"]
        if lines:
            do = f"tc qdisc del dev {device} root 2>/dev/null || :\ntc -batch - <<'PPSLAB'\n"
            do += "\n".join(lines) + "\nPPSLAB"
            found.append(Item("queues " + device, do, f"tc qdisc del dev {device} root", True))
    return found


def _interfaces(rows: Rows, ports: Ports) -> dict[str, str]:
    made = {}
    for row in rows.of("/queue/interface"):
        made[ports.device(row.get("interface") or row.key)] = leaf(rows, row.get("queue"))
    return made


def _lines(device: str, classes: list[Class]) -> list[str]:
    if not classes:
        return []
    default = [f" default {at + 1:x}" for at, each in enumerate(classes) if each.mark == EVERY]
    made = [f"qdisc add dev {device} root handle 1: htb{default[0] if default else ''}"]
    for at, each in enumerate(classes):
        place = f"1:{at + 1:x}"
        burst = f" {table.BURSTS}" if each.ceil.endswith("gbit") else ""
        made.append(f"class add dev {device} parent 1: classid {place} htb rate {each.rate} "
                    f"ceil {each.ceil}{burst}")  # fmt: skip
        if each.leaf:
            made.append(f"qdisc add dev {device} parent {place} {each.leaf}")
    for at, each in enumerate(classes):
        if each.mark not in ("", "0", EVERY):
            made.append(f"filter add dev {device} parent 1: protocol ip prio 1 handle {each.mark} "
                        f"fw classid 1:{at + 1:x}")  # fmt: skip
    return made
