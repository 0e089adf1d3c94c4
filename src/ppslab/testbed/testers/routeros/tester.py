"""RouterOS's /tool/traffic-generator as a tester, over REST.

Sources: MikroTik's manual (diagnostics: traffic generator; developer guides: REST API), the command
trees of 7.9 to 7.24 in github.com/tikoci/restraml, and what others recorded of real devices.

[INF] marks what no real device has confirmed to us: it follows from those by analogy.  The first
of it is the form of an answer to `quick` over REST, of which no recording is known.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppslab.core.errors import BackendError, CannotHereError, UsageError
from ppslab.testbed.routers.rest import Service, said_of
from ppslab.testbed.testers import inventory
from ppslab.testbed.testers.contract import Ability, Load, Outcome, require
from ppslab.testbed.testers.counts import Delay, FlowCounts, TrialCounts, assembled
from ppslab.testbed.testers.inventory import RouterOS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ppslab.model.lab.packets import Flow

MENU = "/tool/traffic-generator"
MINE = "ppslab-"
"""What the objects are called that we make there; such ones of a killed run are removed."""

FCS = 4
"""packet-size leaves the frame check sequence out: 60 makes frames of 64 bytes."""

MIN_SIZE = 64
MIN_SIZE_V6 = 84
"""[INF] As much payload as over IPv4 at 64 bytes, where a stream's signature is known to fit."""

MOST_STREAMS = 255
"""A stream's id is 0 to 255."""

LONGEST_CALL = 50.0
"""Seconds: REST breaks off what takes longer than 60."""

LEARNING_RATE = 100


class Tester:
    """A RouterOS device between two or more of its own ports."""

    name = "routeros"
    abilities: frozenset[Ability] = frozenset({"ipv6", "reordering"})

    def __init__(self, device: RouterOS, file: Path) -> None:
        """`file`: where the device is told, for messages."""
        self.device = device
        self.settings = {"sends": "/tool/traffic-generator of RouterOS, one stream a flow"}
        self._service = Service(
            "RouterOS device",
            device,
            said=said_of,
            auth=(device.user, inventory.password(device)),
            path="/rest",
            remedy=f"check routeros.url in {file}, and /ip/service on the device: http is www, "
            "https is www-ssl",
        )
        self._allowed = False

    def version(self) -> str:
        """RouterOS's version and the board, such as `7.19.4 (stable) on CHR`."""
        resource = self._service.ask("GET", "/system/resource")
        try:
            return f"{resource['version']} on {resource['board-name']}"
        except (KeyError, TypeError):
            raise BackendError(f"no RouterOS answers at {self.device.url}") from None

    def arrange(self, ports: Mapping[str, str], *, separate: bool) -> None:
        """Nothing to do: its ports and CPUs are its own."""

    def trial(self, load: Load) -> Outcome:
        """Run one trial; the device is left without ports, templates and streams of ours."""
        require(self, load)
        names = self.device.names(load)
        _check(load)
        begun = time.monotonic()
        self._allow()
        down = self._down(names)
        if down:
            return Outcome(_nothing(load, down, time.monotonic() - begun))
        with self._set_up(load, names) as streams:
            if load.learning_frames:
                self._set(streams, [load.learning_frames] * len(streams), [LEARNING_RATE])
                self._run(streams, load.learning_frames / LEARNING_RATE, load.drain_seconds)
            time.sleep(load.settle_seconds)
            frames, rates = frames_of(load), rates_of(load)
            self._set(streams, frames, rates)
            rows = self._run(streams, load.seconds, load.drain_seconds)
            down = self._down(names)
        totals = read(rows, range(1, len(load.flows) + 1))
        return Outcome(_counts(load, totals, time.monotonic() - begun, down))

    def _allow(self) -> None:
        """Device mode, which is off for traffic-gen as a device is delivered."""
        if self._allowed:
            return
        mode = self._service.ask("GET", "/system/device-mode")
        if isinstance(mode, dict) and mode.get("traffic-gen") == "false":
            raise CannotHereError(
                f"the RouterOS device at {self.device.url} does not allow its traffic generator",
                "/system/device-mode/update traffic-gen=yes, then switch it off and on (a CHR: "
                "reset its virtual machine)",
            )
        self._allowed = True

    def _down(self, names: Mapping[str, str]) -> str | None:
        """Why the ports cannot send, None where they can."""
        listed = self._service.ask("GET", "/interface")
        running = {item["name"]: item.get("running") == "true" for item in listed}
        for port, interface in names.items():
            if interface not in running:
                known = ", ".join(running)
                raise UsageError(
                    f"the RouterOS device has no interface {interface}, it has {known}"
                )
            if not running[interface]:
                return f"port {port} is down"
        return None

    @contextmanager
    def _set_up(self, load: Load, names: Mapping[str, str]) -> Iterator[dict[str, str]]:
        """Ports, a template and a stream for each flow; a stream's name to its id in the menu."""
        self._remove()
        try:
            for port, interface in names.items():
                self._add("port", {"name": MINE + port, "interface": interface})
            streams = {}
            for number, flow in enumerate(load.flows, start=1):
                name = f"{MINE}{number}"
                self._add("packet-template", template(name, flow))
                stream = {
                    "name": name,
                    "id": str(number),
                    "port": MINE + flow.tx_name,
                    "tx-template": name,
                    "packet-size": str(load.size - FCS),
                    "mbps": "0",
                }
                streams[name] = self._add("stream", stream)
            yield streams
        finally:
            # Also after Ctrl-C: a port of the traffic generator hears nothing else any more.
            self._remove()

    def _add(self, menu: str, properties: Mapping[str, str]) -> str:
        answer = self._service.ask("PUT", f"{MENU}/{menu}", dict(properties))
        return str(answer[".id"])

    def _remove(self) -> None:
        state = self._service.ask("GET", MENU)
        if isinstance(state, dict) and state.get("running") == "true":
            self._service.ask("POST", f"{MENU}/stop", {})
        for menu in ("stream", "packet-template", "port"):
            for item in self._service.ask("GET", f"{MENU}/{menu}"):
                if str(item.get("name", "")).startswith(MINE):
                    with suppress(BackendError):  # an object that went with another
                        self._service.ask("DELETE", f"{MENU}/{menu}/{item['.id']}")

    def _set(self, streams: Mapping[str, str], counts: list[int], rates: list[int]) -> None:
        """How many frames each stream sends, and how fast; of one rate all send at that."""
        rates = rates if len(rates) == len(counts) else rates * len(counts)
        for item, count, rate in zip(streams.values(), counts, rates, strict=True):
            properties = {"packet-count": str(count), "pps": str(rate)}
            self._service.ask("PATCH", f"{MENU}/stream/{item}", properties)

    def _run(self, streams: Mapping[str, str], seconds: float, drain: float) -> Any:
        """Send, and wait for the last frames: the streams' counts end them, not the clock."""
        whole = math.ceil(seconds + drain)
        properties = {"stream": ",".join(streams), "measure-out-of-order": "yes"}
        if whole <= LONGEST_CALL:
            asked = {**properties, "duration": f"{whole}s", "entries-to-show": "255"}
            return self._service.ask("POST", f"{MENU}/quick", asked, seconds=whole + 10)
        # [INF] That statistics end with a row of totals as the rows of `quick` do.
        self._service.ask("POST", f"{MENU}/start", properties)
        time.sleep(whole)
        self._service.ask("POST", f"{MENU}/stop", {})
        return self._service.ask("GET", f"{MENU}/stats/stream")


def template(name: str, flow: Flow) -> dict[str, str]:
    """The packet template of a flow, as /tool/traffic-generator/packet-template takes it."""
    family, bits = ("ipv6", 128) if flow.ipv6 else ("ip", 32)
    return {
        "name": name,
        "header-stack": f"mac,{family},udp",
        "mac-src": flow.ethernet.src.upper(),
        "mac-dst": flow.ethernet.dst.upper(),
        f"{family}-src": f"{flow.internet.src}/{bits}",
        f"{family}-dst": f"{flow.internet.dst}/{bits}",
        "udp-src-port": str(flow.transport.src_port),
        "udp-dst-port": str(flow.transport.dst_port),
    }


def frames_of(load: Load) -> list[int]:
    assert load.rate is not None
    return load.shares(round(load.rate * load.seconds))


def rates_of(load: Load) -> list[int]:
    return load.whole_rates()


def _check(load: Load) -> None:
    if load.size < MIN_SIZE:
        raise UsageError(f"frame size {load.size}: at least {MIN_SIZE} bytes")
    if len(load.flows) > MOST_STREAMS:
        raise UsageError(f"{len(load.flows)} flows: RouterOS has {MOST_STREAMS} streams at most")
    for flow, count in zip(load.flows, frames_of(load), strict=True):
        if flow.ipv6 and load.size < MIN_SIZE_V6:
            raise UsageError(
                f"flow {flow.name}: an IPv6 frame of RouterOS needs {MIN_SIZE_V6} bytes, "
                f"not {load.size}"
            )
        if not count:
            raise UsageError(f"flow {flow.name}: this load has no frame for it; send for longer")


def _counts(load: Load, totals: Totals, elapsed: float, down: str | None) -> TrialCounts:
    frames, rates = frames_of(load), rates_of(load)
    planned = max(count / rate for count, rate in zip(frames, rates, strict=True))
    # Rows are of whole seconds that begin when they will: one more than planned is on time.
    late = totals.seconds_sent > math.ceil(planned) + 1
    seconds = totals.seconds_sent - 1.0 if late else planned
    flows = []
    for number, (flow, count, rate) in enumerate(
        zip(load.flows, frames, rates, strict=True), start=1
    ):
        row = totals.streams[number]
        due = round(rate * seconds) if late else count
        flows.append(
            FlowCounts(
                name=flow.name,
                intended=max(count, due, row.sent),
                offered=row.sent,
                received=row.received,
                reordered=row.reordered,
            )
        )
    total = totals.streams[TOTAL]
    return assembled(
        "routeros",
        size=load.size,
        rate=load.rate,
        seconds=load.seconds,
        flows=flows,
        send_seconds=seconds,
        elapsed_seconds=elapsed,
        reason=down,
        delay_actual=Delay(
            total.least_ns, None, None, None, None, total.most_ns, total.mean_ns,
            total.received if total.mean_ns is not None else 0,
        ),
        reordered=total.reordered,
        corrupt=total.corrupt,
    )  # fmt: skip


def _nothing(load: Load, reason: str, elapsed: float) -> TrialCounts:
    pairs = zip(load.flows, frames_of(load), strict=True)
    return assembled(
        "routeros",
        size=load.size,
        rate=load.rate,
        seconds=load.seconds,
        flows=[FlowCounts(flow.name, count, 0, 0) for flow, count in pairs],
        send_seconds=0.0,
        elapsed_seconds=elapsed,
        reason=reason,
    )


TOTAL = -1
"""Where the sum over all streams stands."""

NAMES = {"TOT": TOTAL}

UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9}


@dataclass(frozen=True)
class Row:
    """Frames and delays of one stream, over the whole trial; None: the rows do not say."""

    sent: int
    received: int
    reordered: int | None
    corrupt: int | None
    least_ns: int | None
    mean_ns: float | None
    most_ns: int | None


@dataclass(frozen=True)
class Totals:
    """What the rows add up to; `seconds_sent`: in how many of its seconds something was sent."""

    streams: dict[int, Row]
    seconds_sent: int


def read(rows: Any, ids: Iterable[int]) -> Totals:
    """The totals of streams `ids` and of all of them (`TOTAL`).

    BackendError where the rows are of another form, or where their sums do not agree: then some
    were left out.
    """
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BackendError(f"RouterOS answers with no rows: {str(rows)[:200]}")
    try:
        return _totals(
            [{**row, "seq": _index(row["seq"]), "id": _index(row["id"])} for row in rows], ids
        )
    except (KeyError, ValueError) as error:
        raise BackendError(f"RouterOS answers with rows of another form: {error}") from None


def _totals(rows: list[dict[str, Any]], ids: Iterable[int]) -> Totals:
    streams: dict[int, Row] = {}
    names = list(ids)
    whole = [row for row in rows if row["seq"] == TOTAL and row["id"] == TOTAL]
    for number in names:
        mine = [row for row in rows if row["id"] == number]
        summed = [row for row in mine if row["seq"] == TOTAL] or (whole if len(names) == 1 else [])
        streams[number] = _row(summed[-1]) if summed else _sum([_row(row) for row in mine])
    every = _sum(list(streams.values()))
    if not whole and len(streams) > 1:
        raise BackendError("RouterOS's rows have no total over all streams")
    total = _row(whole[-1]) if whole else every
    if (total.sent, total.received) != (every.sent, every.received):
        raise BackendError(
            f"RouterOS counts {total.sent} sent and {total.received} received, but its streams "
            f"{every.sent} and {every.received}: rows were left out"
        )
    streams[TOTAL] = total
    sending = {row["seq"] for row in rows if row["seq"] != TOTAL and _number(row["tx-packet"])}
    return Totals(streams, len(sending))


def _row(row: dict[str, Any]) -> Row:
    least, most = _time(row.get("lat-min")), _time(row.get("lat-max"))
    return Row(
        sent=_number(row["tx-packet"]),
        received=_number(row["rx-packet"]),
        reordered=_number(row["rx-ooo"]) if row.get("rx-ooo") else None,
        corrupt=_number(row["rx-bad-csum"]) if row.get("rx-bad-csum") else None,
        least_ns=round(least) if least is not None else None,
        mean_ns=_time(row.get("lat-avg")),
        most_ns=round(most) if most is not None else None,
    )


def _sum(rows: list[Row]) -> Row:
    timed = [row for row in rows if row.mean_ns is not None and row.received]
    received = sum(row.received for row in timed)
    means = sum((row.mean_ns or 0.0) * row.received for row in timed)
    return Row(
        sent=sum(row.sent for row in rows),
        received=sum(row.received for row in rows),
        reordered=_added([row.reordered for row in rows]),
        corrupt=_added([row.corrupt for row in rows]),
        least_ns=min((row.least_ns for row in timed if row.least_ns is not None), default=None),
        mean_ns=means / received if received else None,
        most_ns=max((row.most_ns for row in timed if row.most_ns is not None), default=None),
    )


def _added(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _index(text: Any) -> int:
    return NAMES[text] if text in NAMES else int(text)


def _number(text: Any) -> int:
    """`1 297 032` as the console prints it, or `1297032`."""
    return int(str(text).replace(" ", ""))


def _time(text: Any) -> float | None:
    """Nanoseconds of `16us`, `3.22ms`, `1s500ms`, `00:00:00.000016`; None of nothing."""
    duration = str(text or "").strip()
    if not duration:
        return None
    clock = re.fullmatch(r"(\d+):(\d+):(\d+(?:\.\d+)?)", duration)
    if clock:
        return (int(clock[1]) * 3600 + int(clock[2]) * 60 + float(clock[3])) * 1e9
    parts = re.findall(r"(\d+(?:\.\d+)?)(ns|us|ms|s|m)", duration)
    if not parts or "".join(a + b for a, b in parts) != duration:
        raise ValueError(f"{duration!r} is no time")
    return sum(float(value) * UNITS[unit] for value, unit in parts)
