"""Slow: what a router printed answers the questions of "My router only does X Mbit/s".

The dialogue's data is book/slow.yml, and most outputs are read as its `reads` says; what needs more
than a value or a count has a reader here.
Rates are bits per second, times milliseconds, shares per cent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ppslab.core.text.language import N_, gettext
from rosexplain.matching import fits
from rosexplain.printed import (
    FULL,
    HEADS,
    IDLE,
    TOTAL,
    PrintCommand,
    Profile,
    Table,
    counter,
    head,
    of_prompt,
    share,
    stats_row,
)

YES, NO = "yes", "no"
IDLE_CPU, ONE_FULL, ALL_FULL = "idle", "one-core-full", "full"
OTHER = "other"
"""The task that the dialogue has no answer for."""
ZERO, NONE = "zero", "none"
"""A FastTrack rule that no packet met, and no such rule."""

HALF_IDLE = 50.0
"""Per cent of a core that has much time to spare."""
FASTER = 1.25
"""From this factor on, several streams together count as faster than one."""
WAIT = 100.0
"""Milliseconds over the quickest answer from which on a ping has waited in a queue."""
NEARLY = 0.9
"""Of a port's rate: from here on the port is full."""
SECONDS = 10
"""Between the two counters that the command of `share` prints."""

PORT_RATES = (10e6, 100e6, 1e9, 2.5e9, 5e9, 10e9, 25e9, 40e9, 50e9, 100e9, 200e9, 400e9)

WITHOUT_RSTP = ("IPQ-PPE", "98PX1012", "QCA8386", "QCA-8386")
"""Chips that take no port of a bridge with RSTP, the default (rosexplain's bridging.csv)."""

UNKNOWN_COMMAND = ("bad command name", "expected end of command", "no such command")
"""RouterOS's answers where a menu is missing."""


class Answers:
    """The answers so far, by question; the last output that speaks of one counts."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.readings: list[dict[str, Any]] = facts.get("readings", [])
        self.tasks: list[str] = facts.get("tasks", [])
        self.given: dict[str, tuple[str, str]] = {}
        self.values: dict[str, Any] = {}
        self.unread: list[str] = []
        self.words: list[str] = []
        """The words behind the verb of the command whose output is read."""
        self.counted: dict[str, dict[str, int]] = {}
        """The value of a port's counter in the output before, by counter and port."""

    def give(self, question: str, fine: bool | None, says: str, **words: object) -> None:
        """`fine`: yes or no; None: the output alone does not decide."""
        self.choose(question, "" if fine is None else YES if fine else NO, says, **words)

    def choose(self, question: str, answer: str, says: str, **words: object) -> None:
        """Answer a question by the name of one of its answers, with a sentence and its words."""
        text = gettext(says)
        self.given[question] = (answer, text.format(**words) if words else text)

    def asked_for(self, beginning: str) -> bool:
        """Return True if a word of the command begins so."""
        return any(word.startswith(beginning) for word in self.words)


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """The questions that a text answers: `answers` has their names, the answer and a sentence.

    `facts`: `readings` and `tasks`, the dialogue's own (learning.slow.Dialogue.facts).
    """
    given = inputs.get("printed")
    text = given["text"] if given else ""
    answers = Answers(facts)
    for command, lines in outputs(text, inputs.get("command") or ""):
        if lines:
            _take(answers, command, lines)
    settled = [
        {"question": name, "answer": answers.given[name][0], "says": answers.given[name][1]}
        for name in sorted(answers.given)
    ]
    says = [each["says"] for each in settled]
    if text.strip() and not settled and not answers.values and not answers.unread:
        says = [
            gettext("This page found no output that it can read: paste the output with its prompt.")
        ]
    text = gettext("This page cannot read the output of {each}: compare it with the examples.")
    warns = [text.format(each=each) for each in answers.unread]
    return {"says": says, "answers": settled, "values": answers.values, "warns": warns}


def outputs(text: str, command: str) -> list[tuple[str, list[str]]]:
    """Each command of a text with the lines that it printed; the first may have no prompt."""
    printed: list[tuple[str, list[str]]] = [(command, [])]
    for line in text.replace("\r", "").replace("\t", " ").split("\n"):
        typed = of_prompt(line.strip(" "))
        if typed is not None:
            printed.append((typed, []))
        elif line.strip(" "):
            printed[-1][1].append(line)
    return printed


def _take(answers: Answers, command: str, lines: list[str]) -> None:
    name, answers.words = _named(command)
    readings = [one for one in answers.readings if one["command"] == name]
    reader = READERS.get(name)
    if reader is None and not readings and command:
        answers.unread.append(command if len(command) < 60 else command[:57] + "...")
    narrow = [one for one in readings if one["where"] and answers.asked_for(one["where"])]
    for reading in narrow or [one for one in readings if not one["where"]]:
        _by_data(answers, reading, lines)
    if reader is not None:
        reader(answers, lines)


def _named(command: str) -> tuple[str, list[str]]:
    """The name of a reader, and the words behind the verb."""
    if command.startswith(":put"):
        return "put", []
    asked = PrintCommand(command)
    words = asked.words
    if not asked.verb:
        first = command.replace("/", " ").split()
        ping = "ping" in first[:2]
        return ("ping", command.split()) if ping else (command, [])
    kind = asked.verb
    if "count-only" in words:
        kind = "count"
    elif "stats" in words:
        kind = "stats"
    return asked.menu + " " + kind, words


def _missing(lines: list[str]) -> bool:
    """Return True if the router has no such command."""
    return any(text in lines[0] for text in UNKNOWN_COMMAND)


def _values(lines: list[str]) -> list[tuple[str, str]]:
    """`name: value` lines, in their order."""
    pairs = []
    for line in lines:
        name, colon, value = line.strip(" ").partition(":")
        if colon and " " not in name:
            pairs.append((name, value.strip(" ")))
    return pairs


def _of(lines: list[str], name: str) -> list[str]:
    """The values of a property, from `name: value` lines and from `name=value` words."""
    values = [value for own, value in _values(lines) if own == name]
    for line in lines:
        for behind in (" " + line).split(" " + name + "=")[1:]:
            value = behind.partition("=")[0]
            if value != behind:
                value = value.rpartition(" ")[0]  # the next property's name
            values.append(value.strip(' "'))
    return values


def rate(text: str) -> float | None:
    """`975.0Mbps` in bits per second; None where it is no rate."""
    if not text.endswith("bps"):
        return None
    number = text[:-3].strip(" ")
    factor = 1.0
    if number[-1:] in ("k", "M", "G"):
        factor = {"k": 1e3, "M": 1e6, "G": 1e9}[number[-1]]
        number = number[:-1]
    try:
        return float(number.replace(" ", "")) * factor
    except ValueError:
        return None


UNITS = {"w": 604_800_000.0, "d": 86_400_000.0, "h": 3_600_000.0, "m": 60_000.0,
         "s": 1000.0, "ms": 1.0, "us": 0.001}  # fmt: skip


def milliseconds(text: str) -> float | None:
    """`4ms321us` or `1d2h`, in milliseconds; None where it is no time."""
    total, number, unit = 0.0, "", ""
    for letter in text + "0":
        if letter.isdigit():
            if unit:
                if unit not in UNITS or not number:
                    return None
                total += int(number) * UNITS[unit]
                number, unit = "", ""
            number += letter
        else:
            unit += letter
    return total if number == "0" and text[-1:].isalpha() else None


def quantity(text: str) -> float | None:
    """`1500`, `12 340/8`, `975.0Mbps` or `3d4h` as a number; None where it is none.

    The two directions of a counter are added.  Rates are in bit/s, times in milliseconds.
    """
    total = 0.0
    for part in text.split("/"):
        for read in (counter, rate, milliseconds):
            number = read(part)
            if number is not None:
                total += number
                break
        else:
            return None
    return total


def _numbers(cells: list[str], read: Callable[[str], Any]) -> list[Any]:
    """What `read` takes for a number."""
    numbers = [read(cell.strip(" ")) for cell in cells]
    return [number for number in numbers if number is not None]


def _columns(lines: list[str], name: str) -> list[str]:
    """The values of a property, of each port one."""
    return [cell for text in _of(lines, name) for cell in text.split("  ")]


def _mbit(bits: float) -> str:
    if bits >= 1e9:
        return _short(bits / 1e9) + " Gbit/s"
    return _short(bits / 1e6) + " Mbit/s"


def _short(number: float) -> str:
    """Three figures at most, without a zero at the end."""
    if number >= 100:
        return str(int(number + 0.5))
    text = str(int(number * 10 + 0.5) / 10)
    return text[:-2] if text.endswith(".0") else text


def _profile(answers: Answers, lines: list[str]) -> None:
    profile = Profile()
    tasks: dict[str, float] = {}
    for line in lines:
        if head(line) == "profile":
            profile.head()
            tasks = {}
            continue
        if not profile.take(line):
            continue
        cells = line.split()
        used = share(cells[-1])
        if cells[0] not in (IDLE, TOTAL) and used is not None:
            tasks[cells[0]] = tasks.get(cells[0], 0.0) + used
    if not profile.cores and profile.all is None:
        return
    tests = [name for name in tasks if name in ("btest", "bandwidth-test", "speed-test")]
    text = N_("The profile shows no bandwidth test on the router.")
    if tests:
        text = N_("The profile shows {test}: a bandwidth test is running on the router itself.")
    answers.give("test", not tests, text, test="".join(tests[:1]))
    _tasks(answers, tasks, gettext(" % of one core.") if profile.cores else " %.")
    _cores(answers, profile.cores, profile.all or 0.0)


def _tasks(answers: Answers, tasks: dict[str, float], unit: str) -> None:
    if tasks:
        busiest = max(sorted(tasks), key=lambda name: tasks[name])
        name, used = busiest if busiest in answers.tasks else OTHER, _short(tasks[busiest])
        text = N_("The task with the highest CPU load is {busiest}, {tasks}{unit}")
        answers.choose("busy", name, text, busiest=busiest, tasks=used, unit=unit)


def _cores(answers: Answers, cores: dict[str, float], together: float) -> None:
    """Answer by the load of each core, or by that of all together, in per cent."""
    if not cores:
        full = together >= FULL
        text = gettext("All cores together are {value} % busy.").format(value=_short(together))
        if not full:
            text += gettext(
                " This average can hide a single full core. If the router has several cores, "
                "paste the output of cpu=all; if it has one core, none is full."
            )
        answers.choose("cpu", ALL_FULL if full else "", text)
        return
    names = sorted(cores)
    most = max(names, key=lambda name: cores[name])
    least = min(names, key=lambda name: cores[name])
    busy = gettext("Core {most} is {value} % busy").format(most=most, value=_short(cores[most]))
    if cores[most] < FULL:
        answers.choose("cpu", IDLE_CPU, busy + gettext(", and no other core is busier."))
        return
    spare, value = cores[least] < HALF_IDLE, _short(cores[least])
    text = N_("{busy}, core {least} {value} %.")
    answers.choose(
        "cpu", ONE_FULL if spare else ALL_FULL, text, busy=busy, least=least, value=value
    )


def _link(answers: Answers, lines: list[str]) -> None:
    rates = _numbers(" ".join(_of(lines, "rate")).replace(",", " ").split(), rate)
    half = any("no" in text.replace(",", " ").split() for text in _of(lines, "full-duplex"))
    if not rates:
        return
    slowest = min(rates)
    answers.values["rate"] = slowest
    text = gettext("The slowest of these ports runs at {slowest}").format(slowest=_mbit(slowest))
    text += gettext(", in half duplex.") if half else "."
    if slowest < 1e9:
        text += gettext(
            " If the link supports no higher speed, that is as expected: step back and say so."
        )
    answers.give("link", slowest >= 1e9 and not half, text)


def _port_stats(answers: Answers, lines: list[str]) -> None:
    names: list[str] = []
    for name, value in _values(lines):
        cells = [cell.strip(" ") for cell in value.split("  ") if cell.strip(" ")]
        if name == "name":
            names = value.split()
        question = {"rx-fcs-error": "fcs", "tx-drop": "drops"}.get(name)
        if question is None:
            continue
        if len(cells) != len(names):
            cells = value.split()
        counts = [counter(cell) for cell in cells]
        before = answers.counted.get(name)
        now: dict[str, int] = {}
        for index in range(len(counts)):
            port = names[index] if index < len(names) else gettext("a port")
            now[port] = counts[index] or 0
        answers.counted[name] = now
        _grown(answers, question, name, before, now)


def _grown(
    answers: Answers, question: str, name: str, before: dict[str, int] | None, now: dict[str, int]
) -> None:
    """Answer if a counter grows: one output shows it only where it is zero."""
    ports = [port + " " + str(now[port]) for port in sorted(now) if now[port]]
    if not ports:
        answers.give(question, True, N_("{name} is zero on every port."), name=name)
        return
    text = name + ": " + ", ".join(ports) + "."
    if before is None:
        text += gettext(" Print the counter again ten seconds later to see whether it grows.")
        answers.give(question, None, text)
        return
    more = [port for port in sorted(now) if now[port] > before.get(port, 0)]
    grows = N_("The counter grows on {ports}.") if more else N_("The counter does not grow.")
    text += " " + gettext(grows).format(ports=", ".join(more))
    answers.give(question, not more, text)


def _traffic(answers: Answers, lines: list[str]) -> None:
    bits = _numbers(_columns(lines, "rx-bits-per-second"), rate)
    packets = _numbers(_columns(lines, "rx-packets-per-second"), counter)
    before = answers.values.get("rx")
    if not bits:
        return
    if max(packets + [0]):
        answers.values["pps"] = max(packets)
    _full(answers, max(bits))
    first = before if before is not None else bits[0]
    last = bits[-1]
    if before is not None or len(bits) > 1:
        text = N_("First {first}, then {last}.")
        answers.give("streams", last < first * FASTER, text, first=_mbit(first), last=_mbit(last))
    answers.values["rx"] = last
    _shares(answers)


def _full(answers: Answers, bits: float) -> None:
    port = answers.values.get("rate")
    near = [each for each in PORT_RATES if NEARLY * each <= bits <= each]
    text = gettext("The port receives {bits}").format(bits=_mbit(bits))
    if port is not None:
        full = bits >= NEARLY * port
        text += " of " + _mbit(port) + "."
    else:
        full = bool(near)
        of = gettext(", the full rate of a {near} port.")
        text += of.format(near=_mbit(near[0])) if near else "."
    answers.give("full", not full, text)


def _resource(answers: Answers, lines: list[str]) -> None:
    for name, key in (("board-name", "board"), ("model", "model"), ("version", "version")):
        for value in _of(lines, name):
            answers.values[key] = value
    for value in _of(lines, "cpu-load"):
        load = share(value)
        if load is not None and "cpu" not in answers.given:
            _cores(answers, {}, load)


def _core_loads(answers: Answers, lines: list[str]) -> None:
    rows = [cells for cells in map(str.split, lines) if len(cells) > 2 and cells[1][:3] == "cpu"]
    loads = [(cells[1][3:], share(cells[2])) for cells in rows]
    cores = {name: load for name, load in loads if load is not None}
    if cores:
        _cores(answers, cores, 0.0)


def _ping(answers: Answers, lines: list[str]) -> None:
    if answers.asked_for("do-not-fragment"):
        cut = any("fragment" in line for line in lines)
        came = bool(_numbers([line.split()[-1] for line in lines], milliseconds))
        if cut or came:
            text = N_("A packet of this size crosses the path unfragmented.")
            if cut:
                text = N_("A packet of this size must be fragmented on the path.")
            answers.give("mtu", not cut, text)
        return
    replies = [_numbers(line.split()[3:], milliseconds)[:1] for line in lines]
    times = sorted([time for one in replies for time in one])
    if len(times) < 2:
        return
    text = N_("The fastest reply took {quickest} ms, the slowest {slowest} ms.")
    fine, ends = times[-1] - times[0] < WAIT, (_short(times[0]), _short(times[-1]))
    answers.give("waiting", fine, text, quickest=ends[0], slowest=ends[1])


def _put(answers: Answers, lines: list[str]) -> None:
    counts = _numbers(lines, counter)
    if len(counts) >= 2:
        answers.values["grown"] = counts[1] - counts[0]
    if _of(lines, "rx-packets-per-second"):
        _traffic(answers, lines)
    _shares(answers)


def _shares(answers: Answers) -> None:
    """The counter's growth beside the port's packets, where both are known."""
    grown, packets = answers.values.get("grown"), answers.values.get("pps")
    if grown is None or not packets:
        return
    part = grown / SECONDS / packets
    text = N_("FastTrack forwarded {taken} packets per second; the port received {all} per second.")
    answers.give("share", part >= 0.5, text, taken=str(grown // SECONDS), all=str(packets))


def _rule(answers: Answers, lines: list[str]) -> None:
    total = -1
    for line in lines:
        row = stats_row(line)
        if row is not None and row[0] == "fasttrack-connection":
            total = max(total, 0) + row[1]
    if total >= 0:
        text = N_("Packets that matched the FastTrack rule: {total}.")
        answers.choose("rule", YES if total > 0 else ZERO, text, total=str(total))
        return
    listed = any(head(line) == "stats" for line in lines)
    if listed or answers.asked_for("action=fasttrack-connection"):
        answers.choose("rule", NONE, gettext("There is no FastTrack rule."))


def _bridge_ports(answers: Answers, lines: list[str]) -> None:
    table: Table | None = None
    flagged, ports = 0, 0
    for line in lines:
        if head(line) == "ports":
            table = Table(line, HEADS["ports"])
            continue
        row = table.row(line) if table else None
        if row is not None:
            ports += 1
            flagged += 1 if "H" in row[0] else 0
    if ports:
        text = gettext("{flagged} of {ports} ports have the flag H.")
        text = text.format(flagged=str(flagged), ports=str(ports))
        fine: bool | None = flagged == ports
        if flagged and not fine:
            fine = None
            text += gettext(" Wi-Fi and tunnel interfaces never have it.")
        answers.give("bridge", fine, text)


def _chip(answers: Answers, lines: list[str]) -> None:
    if _missing(lines):
        answers.give("chip", True, gettext("The router has no switch chip."))
        return
    rows = [cells for cells in map(str.split, lines) if len(cells) > 2 and cells[0].isdigit()]
    kinds = [cells[2] for cells in rows]
    if kinds:
        fine = all(any(name in kind for name in WITHOUT_RSTP) for kind in kinds)
        answers.give("chip", fine, N_("Switch chips: {kinds}."), kinds=", ".join(kinds))


def _by_data(answers: Answers, reading: dict[str, Any], lines: list[str]) -> None:
    """Take the value, or the count, that a question's `reads` names (book/slow.yml)."""
    question = reading["question"]
    if reading["missing"] and _missing(lines):
        answers.give(question, True, reading["missing"])
        return
    if reading["lines"]:
        _by_lines(answers, reading, lines)
        return
    for case in reading["cases"]:
        if all(_has_value(lines, name, case["when"][name]) for name in case["when"]):
            answers.choose(question, case["answer"], case["says"])
            return
    if not reading["says"]:
        return
    values = [value for name in reading["property"] for value in _of(lines, name)]
    if not reading["property"]:
        count = counter(lines[0].strip(" "))
        values = [] if count is None else [str(count)]
    value = _picked(values, reading["pick"])
    if value is not None:
        fine = _fine(reading["fine"], value)
        says = reading["says"] if fine else reading["otherwise"] or reading["says"]
        decides = fine or not reading["looked_at"]
        answers.give(question, fine if decides else None, says.format(value=value))


def _has_value(lines: list[str], name: str, pattern: str) -> bool:
    values = _of(lines, name)
    return bool(values) and fits(pattern, values[-1], True)


def _picked(values: list[str], pick: str) -> str | None:
    """The last of a property's values, the least of them, or their sum; None if there is none."""
    if pick == "last":
        return values[-1] if values else None
    sizes = [(quantity(value), value) for value in values]
    known = sorted([(size, value) for size, value in sizes if size is not None])
    if not known:
        return None
    return known[0][1] if pick == "least" else str(int(sum([size for size, _ in known])))


def _fine(pattern: str, value: str) -> bool:
    """Return True if a value is as `fine` has it, or at least what stands behind its `>=`."""
    if pattern[:2] != ">=":
        return fits(pattern, value, True)
    return (quantity(value) or 0.0) >= (quantity(pattern[2:]) or 0.0)


def _by_lines(answers: Answers, reading: dict[str, Any], lines: list[str]) -> None:
    """Answer by the first of the reading's `lines` that occurs; nothing else of a line is shown."""
    for text, name in reading["lines"]:
        if any(text in line for line in lines):
            answers.choose(reading["question"], name, reading["says"].format(value=text))
            return
    answers.give(reading["question"], None, reading["otherwise"])


READERS: dict[str, Callable[[Answers, list[str]], None]] = {
    "/tool profile": _profile,
    "/interface/ethernet monitor": _link,
    "/interface/ethernet stats": _port_stats,
    "/interface monitor-traffic": _traffic,
    "/system/resource print": _resource,
    "/system/routerboard print": _resource,
    "/system/resource/cpu print": _core_loads,
    "ping": _ping,
    "put": _put,
    "/ip/firewall/filter stats": _rule,
    "/interface/bridge/port print": _bridge_ports,
    "/interface/ethernet/switch print": _chip,
}
"""The reader of each command's output."""


def reads(command: str, readings: list[dict[str, Any]]) -> bool:
    """Return True if the output of a command is read."""
    name = _named(command)[0]
    return name in READERS or any(reading["command"] == name for reading in readings)
