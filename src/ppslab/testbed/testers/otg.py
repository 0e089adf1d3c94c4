"""Any tester that speaks the Open Traffic Generator API: Ixia-c, TRex by its OTG server, hardware.

https://github.com/open-traffic-generator/models defines requests and answers; snappi, from PyPI,
carries them as classes.  Only those are used: snappi's own transport does not verify certificates
and waits for ever.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from ppslab.core.errors import BackendError, PpslabError, UsageError
from ppslab.model.lab.packets import Flow, Increment, Pattern, first_value
from ppslab.testbed.routers.rest import Service
from ppslab.testbed.testers.contract import Ability, Load, Outcome, require
from ppslab.testbed.testers.counts import NO_DELAY, Delay, FlowCounts, TrialCounts, assembled
from ppslab.testbed.testers.inventory import Otg

LEARNING_RATE = 100
POLL_SECONDS = 0.1
MIN_SIZE = 64
MIN_SIZE_V6 = 66
"""Ethernet, IPv6, UDP and the FCS; what a server's own signature takes, the server knows."""

PATIENCE_SECONDS = 2.0
"""How long after its time a server may take to end the sending, before it is stopped."""

ON_TIME_SECONDS = 0.25
"""What arrives within this much more than the planned time was sent in time, and queued."""


class Tester:
    """A server of the OTG API, between two or more of its ports."""

    name = "otg"
    abilities: frozenset[Ability] = frozenset({"as fast as it can", "ipv6", "stepping fields"})

    def __init__(self, device: Otg, file: Path) -> None:
        """`file`: where the server is told, for messages."""
        self.device = device
        self.settings = {"sends": "Open Traffic Generator API"}
        remedy = f"check otg.url in {file}, and that the server runs (book/bring-your-router.md)"
        self._service = Service("OTG server", device, said=_said, remedy=remedy)

    def version(self) -> str:
        """The application's version and the models' that it speaks."""
        answer = self._ask("Version", "GET", "/capabilities/version")
        return f"{answer.get('app_version') or 'unknown'} (OTG {answer.get('api_spec_version')})"

    def arrange(self, ports: Mapping[str, str], *, separate: bool) -> None:
        """Nothing to do: its ports and CPUs are its own."""

    def trial(self, load: Load) -> Outcome:
        """Run one trial; the server is left without flows of ours that send."""
        require(self, load)
        names, paces = self.device.names(load), paces_of(load)
        _check(load)
        begun = time.monotonic()
        if load.learning_frames:
            learning = [Pace(load.learning_frames, LEARNING_RATE)] * len(load.flows)
            with self._sending(config(load, names, learning)):
                self._wait(load.learning_frames / LEARNING_RATE)
        with self._sending(config(load, names, paces), load.settle_seconds):
            planned = max(pace.frames / pace.rate for pace in paces) if paces else load.seconds
            took = self._wait(planned)
            time.sleep(load.drain_seconds)
            metrics = self._metrics("flow", {"flow_names": []})
            down = [
                port["name"] for port in self._metrics("port", {}) if port.get("link") == "down"
            ]
        reason = f"port {down[0]} went down" if down else None
        elapsed = time.monotonic() - begun
        return Outcome(_counts(load, paces, metrics, (planned, took), elapsed, reason))

    @contextmanager
    def _sending(self, wanted: dict[str, Any], settle: float = 0.0) -> Iterator[None]:
        """Set a configuration and start its flows; whatever happens, they are stopped."""
        self._ask("Warning", "POST", "/config", wanted)
        time.sleep(settle)
        try:
            self._transmit("start")
            yield
        except BaseException:
            with suppress(PpslabError):
                self._transmit("stop")
            raise
        self._transmit("stop")

    def _transmit(self, state: str) -> None:
        flows = {"choice": "flow_transmit", "flow_transmit": {"state": state}}
        self._ask("Warning", "POST", "/control/state", {"choice": "traffic", "traffic": flows})

    def _wait(self, seconds: float) -> float:
        """Until all flows have stopped, or are stopped for being late; the seconds that it took."""
        started = time.monotonic()
        time.sleep(seconds)
        while True:
            metrics = self._metrics("flow", {"flow_names": []})
            if metrics and all(flow.get("transmit") == "stopped" for flow in metrics):
                return time.monotonic() - started
            if time.monotonic() > started + seconds + PATIENCE_SECONDS:
                self._transmit("stop")
                return time.monotonic() - started
            time.sleep(POLL_SECONDS)

    def _metrics(self, choice: str, request: dict[str, Any]) -> list[dict[str, Any]]:
        answer = self._ask(
            "MetricsResponse", "POST", "/monitor/metrics", {"choice": choice, choice: request}
        )
        metrics = answer.get(f"{choice}_metrics")
        if not isinstance(metrics, list):
            raise BackendError(f"the OTG server answers without {choice} metrics")
        return metrics

    def _ask(self, kind: str, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """The answer, as snappi's class for it reads it."""
        answer = self._service.ask(method, path, body)
        read = _models().__dict__[kind]()
        try:
            read.deserialize(json.dumps(answer or {}))
            plain: dict[str, Any] = json.loads(read.serialize())
        except (TypeError, ValueError, KeyError) as error:
            raise BackendError(
                f"the OTG server answers {method} {path} with what is no {kind}: {error}"
            ) from None
        return plain


@dataclass(frozen=True)
class Pace:
    """What a flow sends: frames, and how many of them in a second."""

    frames: int
    rate: int


def paces_of(load: Load) -> list[Pace]:
    """The pace of each flow; none where the load has no rate."""
    if load.rate is None:
        return []
    frames = load.shares(round(load.rate * load.seconds))
    for flow, count in zip(load.flows, frames, strict=True):
        if not count:
            raise UsageError(f"flow {flow.name}: this load has no frame for it; send for longer")
    return list(map(Pace, frames, load.whole_rates()))


def config(load: Load, names: Mapping[str, str], paces: Sequence[Pace]) -> dict[str, Any]:
    """The OTG configuration of a load, checked by snappi's models.

    Without paces the flows of a port share its line rate for the load's seconds.
    """
    built = _models().Config()
    for name, location in names.items():
        built.ports.port(name=name, location=location)
    sent_by: Counter[str] = Counter()
    for flow in load.flows:
        sent_by[flow.tx_name] += load.weight(flow)
    for number, flow in enumerate(load.flows):
        one = built.flows.flow(name=flow.name)[-1]
        one.tx_rx.port.tx_name = flow.tx_name
        one.tx_rx.port.rx_names = [flow.rx_name]
        _packet(one, flow)
        one.size.fixed = load.size
        if paces:
            one.rate.pps = paces[number].rate
            one.duration.fixed_packets.packets = paces[number].frames
        else:
            one.rate.percentage = 100.0 * load.weight(flow) / sent_by[flow.tx_name]
            one.duration.fixed_seconds.seconds = load.seconds
        one.metrics.enable = True
        one.metrics.loss = True
        one.metrics.timestamps = True
        one.metrics.latency.enable = True
        one.metrics.latency.mode = one.metrics.latency.STORE_FORWARD
    checked: dict[str, Any] = json.loads(built.serialize())
    return checked


def _packet(one: Any, flow: Flow) -> None:
    if flow.ipv6:
        ethernet, internet, udp = one.packet.ethernet().ipv6().udp()
    else:
        ethernet, internet, udp = one.packet.ethernet().ipv4().udp()
    ethernet.src.value, ethernet.dst.value = flow.ethernet.src, flow.ethernet.dst
    fields = (internet.src, internet.dst, udp.src_port, udp.dst_port)
    for pattern, value in zip(fields, flow.stepping, strict=True):
        _field(pattern, value)


def _field(pattern: Any, value: int | str | Pattern) -> None:
    """Of an increment; a random one is not asked of this tester (`require`)."""
    first = first_value(value)
    if not isinstance(value, Increment) or value.count == 1:
        pattern.value = first
        return
    # A step of an address is an address: 0.0.0.1, ::1.
    step = str(type(ip_address(first))(value.step)) if isinstance(first, str) else value.step
    pattern.increment.start, pattern.increment.step = first, step
    pattern.increment.count = value.count


def _counts(
    load: Load,
    paces: Sequence[Pace],
    metrics: list[dict[str, Any]],
    times: tuple[float, float],
    elapsed: float,
    reason: str | None,
) -> TrialCounts:
    """`times`: seconds that the sending was to take, and that it took as we saw it."""
    planned = times[0]
    sending = _span(metrics) or times[1]
    late = paces and sending > planned + ON_TIME_SECONDS
    seconds = sending if late else planned
    by_name = {flow.get("name"): flow for flow in metrics}
    flows = []
    for number, flow in enumerate(load.flows):
        if flow.name not in by_name:
            raise BackendError(f"the OTG server has no metrics of flow {flow.name}")
        sent, received = (int(by_name[flow.name].get(f"frames_{way}", 0)) for way in ("tx", "rx"))
        due = sent
        if paces:
            # A late sender goes on after its time; what was due until it stopped counts.
            late_due = round(paces[number].rate * seconds) if late else 0
            due = max(paces[number].frames, late_due, sent)
        flows.append(FlowCounts(flow.name, due, sent, received))
    return assembled(
        "otg",
        size=load.size,
        rate=load.rate,
        seconds=load.seconds,
        flows=flows,
        send_seconds=seconds,
        elapsed_seconds=elapsed,
        reason=reason,
        delay_actual=_delay(metrics),
    )


def _check(load: Load) -> None:
    least = MIN_SIZE_V6 if any(flow.ipv6 for flow in load.flows) else MIN_SIZE
    if load.size < least:
        raise UsageError(f"frame size {load.size}: at least {least} bytes")
    for flow in load.flows:
        if any(isinstance(value, Increment) and value.step < 1 for value in flow.stepping):
            raise UsageError(f"flow {flow.name}: a field steps down; OTG steps up")


def _span(metrics: list[dict[str, Any]]) -> float | None:
    """Seconds from the first frame that arrived to the last, where the server has stamped them."""
    stamps = [flow.get("timestamps", {}) for flow in metrics]
    first = [stamp["first_timestamp_ns"] for stamp in stamps if "first_timestamp_ns" in stamp]
    last = [stamp["last_timestamp_ns"] for stamp in stamps if "last_timestamp_ns" in stamp]
    return (max(last) - min(first)) / 1e9 if first and last else None


def _delay(metrics: list[dict[str, Any]]) -> Delay:
    """Over all flows: OTG gives the least, the mean and the most of each."""
    timed = [
        (int(flow["frames_rx"]), flow["latency"])
        for flow in metrics
        if int(flow.get("frames_rx", 0)) and "average_ns" in flow.get("latency", {})
    ]
    count = sum(received for received, _ in timed)
    if not count:
        return NO_DELAY
    return Delay(
        min=round(min(delay["minimum_ns"] for _, delay in timed)),
        p50=None,
        p90=None,
        p99=None,
        p999=None,
        max=round(max(delay["maximum_ns"] for _, delay in timed)),
        mean=sum(received * delay["average_ns"] for received, delay in timed) / count,
        count=count,
    )


def _models() -> Any:
    """The module snappi, which takes a second and more to import: not before it is needed."""
    return import_module("snappi")


def _said(data: Any) -> str:
    """What an OTG server says of a failure: {"code": 400, "kind": ..., "errors": [...]}."""
    if not isinstance(data, dict):
        return ""
    return "; ".join(str(error) for error in data.get("errors") or [])
