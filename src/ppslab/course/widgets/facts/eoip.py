"""Facts of EoIP: how many fragments the lab's newest run counted for each frame."""

from __future__ import annotations

from typing import Any

from ppslab.judge import costs
from ppslab.judge.costs import NoDataError
from ppslab.model import results

LAB = "eoip"
COUNTER = "fragments"
HEADERS = 18
"""An Ethernet frame less its packet: header 14, check sequence 4."""

BRIDGED = {
    "eoip": (9500, "none"),
    "eoip-ipsec": (9500, "aes-128-cbc:sha1"),
    "eoip-fragments": (1500, "none"),
    "eoip-ipsec-fragments": (1500, "aes-128-cbc:sha1"),
}
"""The lab's conditions that bridge: the MTU of their path (labs/eoip/linux), and the cipher."""


def facts() -> dict[str, Any]:
    """`measured` ([packet, Path MTU, IPsec, fragments for each]) and `record`, its name."""
    record = results.newest(LAB)
    rows: list[list[Any]] = []
    for name, (mtu, ipsec) in BRIDGED.items() if record else ():
        assert record is not None
        for size in record.frame_sizes:
            try:
                share = costs.counter_shares(record, name, size).get(COUNTER)
            except NoDataError:
                continue
            if share is not None:
                rows.append([size - HEADERS, mtu, ipsec, round(share.estimate, 3)])
    return {"measured": rows, "record": record.id if record else ""}
