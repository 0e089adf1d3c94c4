"""The widget of the packet path, asked by its inputs, or by a condition of a lab."""

from __future__ import annotations

from typing import Any

from ppslab.model.lab import lab as labs
from tests.course.models.both import ask

FAST = {"fast-path", "bridge-fast-path"}


def asked(**inputs: Any) -> dict[str, Any]:
    """The inputs; the features of a bridge have a control of their own."""
    if inputs.get("way") == "bridged" and "features" in inputs:
        inputs["on_bridge"] = inputs.pop("features")
    return inputs


def way(**inputs: Any) -> str:
    found: str = ask("packet-path", **asked(**inputs))["values"]["way"]
    return found


def rules(**inputs: Any) -> list[str]:
    found: list[str] = ask("packet-path", **asked(**inputs))["values"]["rules"]
    return found


def configured(lab: str, condition: str) -> dict[str, Any]:
    """The inputs that a condition's RouterOS files come to."""
    found = labs.find(lab)
    text = "\n".join(
        (found.folder / name).read_text(encoding="utf-8")
        for name in found.condition(condition).routeros
    )
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    text = "\n".join(lines)
    features = []
    if "/ip/firewall/filter" in text:
        features.append("rules")
    if "/ip/firewall/nat" in text:
        features.append("nat")
    if "/queue/simple" in text:
        features.append("simple-queues")
    if "/interface/bridge/filter" in text:
        features.append("bridge-rules")
    bridged = "/interface/bridge add" in text
    settings = "/interface/bridge/settings" if bridged else "/ip/settings"
    told = [line for line in lines if line.startswith(f"{settings} set")]
    tracking = [line for line in lines if line.startswith("/ip/firewall/connection/tracking")]
    return {
        "way": "bridged" if bridged else "routed",
        "features": features,
        "allow": not told or "allow-fast-path=no" not in told[-1],
        "tracking": tracking[-1].rpartition("=")[2].strip() if tracking else "auto",
        "fasttrack": "fasttrack-connection" in text,
        "queue": "other" if "/queue/interface" in text else "hardware",
    }
