"""A server of the Open Traffic Generator API that takes what snappi's models take, and no more.

Between its ports stands a router that loses every n-th frame.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

from tests.support.doubles.http_server import Answered, Asked, HttpServer

LINE_RATE = 20_000.0
"""Frames per second that are 100 % of a port's."""


def strictly(kind: str, text: str) -> dict[str, Any]:
    """`text` as the model reads it; ValueError where it has words that the model does not know."""
    import snappi  # a second and a half, in every worker that only collects

    read = getattr(snappi, kind)()
    read.deserialize(text)
    plain: dict[str, Any] = json.loads(read.serialize())
    unknown = _beyond(json.loads(text), plain, kind)
    if unknown:
        raise ValueError(f"unknown: {', '.join(unknown)}")
    return plain


def _beyond(told: Any, known: Any, where: str) -> list[str]:
    """The paths that are in `told` and not in `known`."""
    if isinstance(told, dict) and isinstance(known, dict):
        found = []
        for key, value in told.items():
            here = f"{where}.{key}"
            found += _beyond(value, known[key], here) if key in known else [here]
        return found
    if isinstance(told, list) and isinstance(known, list):
        return [
            path
            for number, (one, other) in enumerate(zip(told, known, strict=True))
            for path in _beyond(one, other, f"{where}[{number}]")
        ]
    return [] if str(told) == str(known) else [where]


@dataclass
class Generator:
    """The generator, its ports, and the router between them."""

    locations: tuple[str, ...] = ("eth1", "eth2", "eth3")
    loses_every: int | None = None
    most: float = 1e6
    """Frames per second that it reaches."""
    down: set[str] = field(default_factory=set)
    config: dict[str, Any] = field(default_factory=dict)
    configs: list[dict[str, Any]] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)
    started: float | None = None
    stopped: float | None = None
    _passed: int = 0

    def answer(self, method: str, path: str, text: str) -> dict[str, Any]:
        """What it answers; ValueError and TypeError where the models do not allow the request."""
        self.requests.append((method, path))
        if (method, path) == ("GET", "/capabilities/version"):
            return {"api_spec_version": "1.62.0", "sdk_version": "", "app_version": "double"}
        if (method, path) == ("POST", "/config"):
            self._configure(strictly("Config", text))
            return {"warnings": []}
        if (method, path) == ("POST", "/control/state"):
            self._control(strictly("ControlState", text))
            return {"warnings": []}
        if (method, path) == ("POST", "/monitor/metrics"):
            asked = strictly("MetricsRequest", text)
            kind = asked["choice"]
            found = self._flows() if kind == "flow" else self._ports()
            return {"choice": f"{kind}_metrics", f"{kind}_metrics": found}
        raise LookupError(path)

    @property
    def sending(self) -> bool:
        """Whether frames leave now."""
        return any(flow["transmit"] == "started" for flow in self._flows())

    def _configure(self, config: dict[str, Any]) -> None:
        names = [port["name"] for port in config["ports"]]
        for port in config["ports"]:
            if port["location"] not in self.locations:
                raise ValueError(f"no port at {port['location']}")
        flows = [flow["name"] for flow in config["flows"]]
        if len({*names, *flows}) != len(names) + len(flows):
            raise ValueError("a name stands twice")
        for flow in config["flows"]:
            ends = flow["tx_rx"]["port"]
            for end in (ends["tx_name"], *ends["rx_names"]):
                if end not in names:
                    raise ValueError(f"flow {flow['name']}: no port {end}")
        self.config, self.started, self.stopped = config, None, None
        self.configs.append(config)

    def _control(self, words: dict[str, Any]) -> None:
        state = words["traffic"]["flow_transmit"]["state"]
        if state == "start":
            self.started, self.stopped = time.monotonic(), None
        elif self.stopped is None:
            self.stopped = time.monotonic()

    def _rate(self, flow: dict[str, Any]) -> float:
        rate = flow["rate"]
        if rate["choice"] == "pps":
            return float(rate["pps"])
        return LINE_RATE * float(rate["percentage"]) / 100

    def _flows(self) -> list[dict[str, Any]]:
        slower = min(1.0, self.most / max(1.0, sum(map(self._rate, self.config.get("flows", [])))))
        return [self._flow(flow, slower) for flow in self.config.get("flows", [])]

    def _flow(self, flow: dict[str, Any], slower: float) -> dict[str, Any]:
        duration, rate = flow["duration"], self._rate(flow) * slower
        if duration["choice"] == "fixed_packets":
            whole = int(duration["fixed_packets"]["packets"])
        else:
            whole = round(rate * float(duration["fixed_seconds"]["seconds"]))
        ran = (self.stopped or time.monotonic()) - self.started if self.started else 0.0
        sent = min(whole, int(rate * ran))
        # The router counts the frames of all flows; a share of that is near enough for each.
        received = sent - (sent // self.loses_every if self.loses_every else 0)
        done = self.started is None or self.stopped is not None or sent == whole
        return {
            "name": flow["name"],
            "transmit": "stopped" if done else "started",
            "frames_tx": str(sent),
            "frames_rx": str(received),
            "loss": 100 * (1 - received / sent) if sent else 0.0,
            "timestamps": {"first_timestamp_ns": 0.0, "last_timestamp_ns": 1e9 * sent / rate},
            "latency": {"minimum_ns": 900.0, "average_ns": 1500.0, "maximum_ns": 9000.0},
        }

    def _ports(self) -> list[dict[str, Any]]:
        return [
            {"name": port["name"], "link": "down" if port["location"] in self.down else "up"}
            for port in self.config.get("ports", [])
        ]


class Server(HttpServer):
    """The generator, listening on a port of this machine while the `with` block lasts."""

    def __init__(self, generator: Generator) -> None:
        self.generator = generator
        super().__init__(self._answer)

    def _answer(self, asked: Asked) -> Answered:
        try:
            return Answered(200, self.generator.answer(asked.method, asked.path, asked.text))
        except (ValueError, TypeError) as error:
            return Answered(400, {"code": 400, "kind": "validation", "errors": [str(error)]})
        except LookupError:
            return Answered(404, {"code": 404, "errors": ["not found"]})
