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
SEEN = "seen"
GLOBAL = "global"


class Class:
    """A class of HTB: its rates, its queue, and what brings a packet there.

    `mark`: its number; EVERY: what nothing else takes; SEEN: what passes the chain behind the
    forwarding and no simple queue takes; empty: that chain says it, or it has classes below it.
    `parent`: the number of the class above it, 0 where there is none; `row`: the queue's.
    """

    def __init__(self, rate: str, ceil: str, leaf: str, mark: str = "", prio: str = "") -> None:
        self.rate = rate
        self.ceil = ceil
        self.leaf = leaf
        self.mark = mark
        self.prio = prio
        self.parent = 0
        self.row: Row | None = None


class Placed:
    """The classes at each port, by its device, in the order of their numbers.

    `sorting`: rules of nft that find a class; `sorted_for`: of each its simple queue, and whether
    it is of what the target sends; None: of any packet.
    """

    def __init__(self, devices: list[str]) -> None:
        self.trees: dict[str, list[Class]] = {device: [] for device in devices}
        self.sorting: list[str] = []
        self.sorted_for: list[tuple[Row | None, bool]] = []


def leaf(rows: Rows, name: str) -> str:
    """What tc says for a type of queue."""
    for row in rows.of("/queue/type"):
        if row.get("name") == name:
            return kind(_given(row))
    if name in table.BUILT_IN:
        return table.BUILT_IN[name]
    raise refuse(
        f"queue: no type '{values.shown(name)}' that has a translation here: "
        + ", ".join(sorted(table.BUILT_IN)) + ", or one of /queue/type"
    )  # fmt: skip


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
    why = table.NO_KIND.get(given["kind"], "no similar Linux queue is known here")
    raise refuse(f"kind={values.shown(given['kind'])}: no translation, as {why}")


def _word(of: str, text: str, packet: str) -> str:
    if of == "time":
        return values.seconds(text)
    if of == "ecn":
        return " ecn" if values.yes_or_no(text) else " noecn"
    if of == "word":
        if text not in table.WORDS:
            raise refuse(f"'{values.shown(text)}' is not a known CAKE mode")
        return text
    if of == "kib":
        room = values.number(text[:-3] if text.endswith("KiB") else text, 1, 1000000)
        return str(-(-1024 * room // table.FRAME))
    if of == "streams":
        return _streams(text)
    if of == "no rate":
        if values.rate(text):
            raise refuse(
                "Linux has no queue with a rate for each stream: leave it at 0, and limit all "
                "streams together (max-limit) or each host by a simple queue"
            )
        return ""
    count = values.number(text, 1, 100000000)
    return str(count * values.number(packet, 1, 65535) if of == "packets" else count)


def _streams(text: str) -> str:
    """The keys of tc's `flow` filter for the fields of a PCQ."""
    named = text.split(",") if text else []
    known = [each[0] for each in table.STREAMS]
    for each in named:
        if each not in known:
            raise refuse(f"'{values.shown(each)}' is not one of {', '.join(known)}")
    if not named:
        raise refuse("say which fields make a stream: " + ", ".join(known))
    return ",".join([linux for ours, linux in table.STREAMS if ours in named])


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
        above = [row.get("name") for row in rows.all_of(menu)]
        if given["parent"] not in above and given["parent"] != GLOBAL:
            ports.device(given["parent"])
        if given["parent"] == given["name"]:
            raise refuse("parent: the queue itself")
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
    mark = marks.number(given["packet-mark"]) if given.get("packet-mark") else "0"
    if mark == "0":
        mark = SEEN if given["parent"] == GLOBAL else EVERY
    prio = ""
    if given.get("priority"):
        # RouterOS's priorities are 1 to 8, HTB's 0 to 7.
        prio = str(values.of("priority", values.number, given["priority"], 1, 8) - 1)
    queue = leaf(rows, given["queue"]) if given.get("queue") else ""
    return Class(rate, ceil, queue, mark, prio)


def _given(row: Row) -> dict[str, str]:
    return {name: row.get(name) for name in row.names}


def placed(rows: Rows, ports: Ports, marks: Marks) -> Placed:
    """The classes that the queues come to, and what finds them."""
    made = Placed(ports.devices())
    for row in rows.of("/queue/simple"):
        _place_simple(made, row, rows)
    simple = len(made.trees[ports.devices()[0]])
    trees = rows.of("/queue/tree")
    names = [row.get("name") for row in trees]
    done = 0
    for row in trees:
        parent = row.get("parent")
        if parent not in names:
            there = ports.devices() if parent == GLOBAL else [ports.device(parent)]
            for device in there:
                count = _place_tree(made.trees.setdefault(device, []), row, trees, rows, marks)
            done += count
    if done != len(trees):
        raise refuse("parent: these queues of the tree have neither a port nor global above them")
    alone = _interfaces(rows, ports)
    for device in ports.devices():
        classes = made.trees[device]
        own = alone.get(device)
        if own and len(classes) > simple:
            raise refuse(f"/queue/interface and /queue/tree at {device}: no translation, as a port "
                         "of Linux has one of them; set queue=only-hardware-queue there, or "
                         "disable the queue of the tree")  # fmt: skip
        if simple and len(classes) > simple:
            _nest(classes, simple)
        elif simple and own:
            classes.append(Class(table.NO_LIMIT, table.NO_LIMIT, own, EVERY))
        for number, each in enumerate(classes):
            if each.mark == SEEN:
                place = f'oifname "{device}" counter meta priority set 1:{number + 1:x} accept'
                made.sorting.append(place)
                made.sorted_for.append((None, False))
    return made


def _place_simple(made: Placed, row: Row, rows: Rows) -> None:
    given = _given(row)
    up, down = _simple(given, rows)
    up.row = down.row = row
    same = (up.rate, up.ceil, up.leaf) == (down.rate, down.ceil, down.leaf)
    last = 0
    for device in made.trees:
        for each in [up] if same else [up, down]:
            copy = Class(each.rate, each.ceil, each.leaf)
            copy.row = row
            made.trees[device].append(copy)
        last = len(made.trees[device])
    for target in _targets(given["target"]):
        place = f"1:{last if same else last - 1:x}"
        made.sorting.append(f"ip saddr {target} counter meta priority set {place} accept")
        made.sorting.append(f"ip daddr {target} counter meta priority set 1:{last:x} accept")
        made.sorted_for += [(row, True), (row, False)]


def _place_tree(
    classes: list[Class], row: Row, every: list[Row], rows: Rows, marks: Marks, parent: int = 0
) -> int:
    """Place a queue of the tree and those below it; how many that are."""
    one = _tree(_given(row), rows, marks)
    one.row = row
    if parent:
        _below(one, parent)
    classes.append(one)
    number, count = len(classes), 1
    for other in every:
        if other.get("parent") == row.get("name"):
            count += _place_tree(classes, other, every, rows, marks, number)
    if count > 1:
        one.mark = ""
    return count


def _nest(classes: list[Class], simple: int) -> None:
    """A packet passes its simple queue and the port's: the ones are put inside the other."""
    outer = classes[simple]
    if len(classes) > simple + 1 or outer.mark not in (EVERY, SEEN):
        raise refuse(
            "/queue/simple and /queue/tree at once: no translation where the tree of a port has "
            "marks or more than one queue, as Linux sends a packet into one class; disable the one "
            "or the other"
        )
    for each in classes[:simple]:
        _below(each, simple + 1)
    rest = Class(outer.rate, outer.ceil, outer.leaf, outer.mark)
    _below(rest, simple + 1)
    outer.leaf, outer.mark = "", ""
    classes.append(rest)


def _below(one: Class, parent: int) -> None:
    """Put a class below another; HTB asks that one only for what is above the class's own rate."""
    one.parent = parent
    if one.row is None or not one.row.get("limit-at"):
        one.rate = table.BORROWED


def items(rows: Rows, ports: Ports, marks: Marks) -> list[Item]:
    """What the queues come to: a tree at each port, and the table that sorts packets into it."""
    made = placed(rows, ports, marks)
    found = []
    if made.sorting:
        head = "    type filter hook postrouting priority mangle; policy accept;"
        sorting = ["chain postrouting {", head] + ["    " + each for each in made.sorting] + ["}"]
        found.append(nft("ip", "routeros-queues", sorting))
    alone = _interfaces(rows, ports)
    for device in ports.devices():
        lines = _lines(device, made.trees[device])
        if not lines and alone.get(device):
            lines = _queue(device, "root", "1", alone[device])
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


def _queue(device: str, place: str, handle: str, queue: str) -> list[str]:
    """The lines for a queue at a place, and for the filter that tells its streams apart."""
    what, _, keys = queue.partition(table.CLASSIFIED)
    if not keys:
        named = f" handle {handle}:" if place == "root" else ""
        return [f"qdisc add dev {device} {place}{named} {what}"]
    return [
        f"qdisc add dev {device} {place} handle {handle}: {what}",
        f"filter add dev {device} parent {handle}: handle 1 protocol ip prio 1 flow hash "
        f"keys {keys} divisor 1024",
    ]


def _lines(device: str, classes: list[Class]) -> list[str]:
    if not classes:
        return []
    default = [f" default {at + 1:x}" for at, each in enumerate(classes) if each.mark == EVERY]
    made = [f"qdisc add dev {device} root handle 1: htb{default[0] if default else ''}"]
    # A class stands behind the one above it.
    for at in sorted(range(len(classes)), key=lambda at: (_depth(classes, at), at)):
        each = classes[at]
        place = f"1:{at + 1:x}"
        above = f"1:{each.parent:x}" if each.parent else "1:"
        prio = f"prio {each.prio} " if each.prio else ""
        burst = f" {table.BURSTS}" if each.ceil.endswith("gbit") else ""
        if each.rate == table.BORROWED and not burst:
            burst = f" quantum {table.FRAME}"
        made.append(f"class add dev {device} parent {above} classid {place} htb {prio}rate "
                    f"{each.rate} ceil {each.ceil}{burst}")  # fmt: skip
        if each.leaf:
            made += _queue(device, f"parent {place}", f"{0x100 + at + 1:x}", each.leaf)
    for at, each in enumerate(classes):
        if each.mark not in ("", EVERY, SEEN):
            made.append(f"filter add dev {device} parent 1: protocol ip prio 1 handle {each.mark} "
                        f"fw classid 1:{at + 1:x}")  # fmt: skip
    return made


def _depth(classes: list[Class], at: int) -> int:
    depth = 0
    while classes[at].parent:
        at = classes[at].parent - 1
        depth += 1
    return depth
