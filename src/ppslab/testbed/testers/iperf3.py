"""TCP transfers with iperf3 (Debian's 3.12, `man iperf3`): servers on one host, clients on another.

As the CHR article does it: several server instances, each on a port of its own, because one
iperf3 is one thread; a client for each, with parallel streams.  The clients send, so the sender's
own TCP tells what it had to send again (TCP_INFO) and the server tells what arrived.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from ppslab.core.errors import BackendError, CannotHereError
from ppslab.testbed.backends import Node

FIRST_PORT = 5101
"""The article's first; the instances count up from it."""

_INTERVAL = 0.1
"""Seconds between two looks at TCP's round-trip time; iperf3 takes no shorter ones."""

_SLOW_INTERVAL = 1.0
_SEEN_OFTEN = 100
"""Streams at once from which on the looks are rare: each look at a stream is 300 bytes of JSON."""

_FOLDER = "/run"
# A control connection, ten streams and two exchanges of JSON; emulated, that takes its time.
_MARGIN_SECONDS = 30.0
_EACH_WAY = 3.0
_CONNECT_SECONDS = 5.0


@dataclass(frozen=True)
class StreamResult:
    """One TCP connection of an instance.

    `received`: bytes that the receiving program read; `retransmits`: segments that TCP sent again;
    `rtt_us`: TCP's smoothed round-trip time, seen ten times a second, or once where many streams
    are seen at once; `ports`: the client's and the server's.
    """

    received: int
    retransmits: int
    rtt_us: tuple[int, ...]
    ports: tuple[int, int]


@dataclass(frozen=True)
class InstanceResult:
    """One client's report of its transfer; `failed` and no streams where it had none.

    `seconds`: how long the server received; `addresses`: the client's and the server's;
    `segment_size`: bytes of data in a full segment, as the sender's TCP has it; `cpu_sender`,
    `cpu_receiver`: shares of one CPU.
    """

    streams: tuple[StreamResult, ...] = ()
    seconds: float = 0.0
    congestion: str = ""
    segment_size: int | None = None
    addresses: tuple[str, str] | None = None
    cpu_sender: float = 0.0
    cpu_receiver: float = 0.0
    failed: str | None = None


def read(text: str) -> InstanceResult:
    """Read the output of `iperf3 --json`, also that of a client that failed.

    iperf3 answers a failure with JSON whose only news is the key "error", and an exit code of 1.
    """
    try:
        report = json.loads(text)
    except ValueError:
        shown = text.strip()[-300:]
        return InstanceResult(failed=f"iperf3 printed no JSON: {shown or 'nothing'}")
    if "error" in report:
        return InstanceResult(failed=str(report["error"]))
    try:
        return _result(report)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        return InstanceResult(failed=f"iperf3's JSON is another than 3.12's: {error!r}")


def _result(report: dict[str, Any]) -> InstanceResult:
    end = report["end"]
    seen: dict[int, list[int]] = {}
    for interval in report["intervals"]:
        for stream in interval["streams"]:
            seen.setdefault(stream["socket"], []).append(int(stream["rtt"]))
    connected = report["start"]["connected"]
    ports = {one["socket"]: (int(one["local_port"]), int(one["remote_port"])) for one in connected}
    received = _paired(
        [int(stream["sender"]["bytes"]) for stream in end["streams"]],
        [int(stream["receiver"]["bytes"]) for stream in end["streams"]],
    )
    streams = tuple(
        StreamResult(
            received=arrived,
            retransmits=int(stream["sender"]["retransmits"]),
            rtt_us=tuple(seen.get(stream["sender"]["socket"], ())),
            ports=ports[stream["sender"]["socket"]],
        )
        for stream, arrived in zip(end["streams"], received, strict=True)
    )
    if not streams:
        raise ValueError("no streams")
    cpu = end["cpu_utilization_percent"]
    return InstanceResult(
        streams=streams,
        seconds=fmean(float(stream["receiver"]["end"]) for stream in end["streams"]),
        congestion=str(end.get("sender_tcp_congestion", "")),
        segment_size=int(report["start"]["tcp_mss_default"]),
        addresses=(str(connected[0]["local_host"]), str(connected[0]["remote_host"])),
        cpu_sender=float(cpu["host_total"]) / 100,
        cpu_receiver=float(cpu["remote_total"]) / 100,
    )


def _paired(sent: Sequence[int], received: Sequence[int]) -> list[int]:
    """For each stream what was received of it: of the most that was sent the most, and so on.

    The client numbers its streams as they connect, the server as it accepts them, and under loss
    that is another order: iperf3 3.12 then tells the bytes of one stream for those of another.  By
    its port in a bond a stream was seen to have its neighbour's twelve megabytes.

    >>> _paired([300, 100, 200], [95, 290, 180])
    [290, 95, 180]
    """
    order = sorted(range(len(sent)), key=lambda number: sent[number])
    order_of = [0] * len(sent)
    for number, value in zip(order, sorted(received), strict=True):
        order_of[number] = value
    return order_of


class Iperf3:
    """iperf3 on the hosts of a deployed topology.

    Every host that serves has `instances` servers; a transfer may use fewer of them.
    """

    name = "iperf3"

    def __init__(
        self,
        *,
        instances: int,
        streams: int,
        congestion: str,
        cpus: Sequence[int] = (),
    ) -> None:
        """`cpus`: those that clients and servers may use; none named means all."""
        self.instances = instances
        self.streams = streams
        self.congestion = congestion
        self.settings = {
            "instances": str(instances),
            "streams": str(streams),
            "congestion": congestion,
            "cpus": ",".join(map(str, cpus)) or "all",
        }
        self._pinned = shlex.join(["taskset", "--cpu-list", self.settings["cpus"]]) if cpus else ""
        self._serving: set[str] = set()

    def version(self, node: Node) -> str:
        """The program's version, such as `3.12`; CannotHereError where it is not installed."""
        done = node.run(["iperf3", "--version"], check=False)
        if done.returncode != 0:
            raise CannotHereError("iperf3 is not installed", "sudo apt-get install iperf3")
        return done.stdout.split()[1]

    def serve(self, node: Node) -> None:
        """See that the servers run on a host; those that a failed transfer left are replaced."""
        if node.name in self._serving:
            return
        start = "\n".join(
            f"{self._pinned} iperf3 --server --daemon --port {port} --pidfile {_pid_file(port)}"
            for port in self._ports()
        )
        # A daemon that stops listening while the next one starts would lose its port.
        done = node.run(["sh"], input=f"{self._stop()}\n{start}\n{self._until_listening()}")
        if done.stderr.strip():
            raise BackendError(f"host {node.name}: iperf3: {done.stderr.strip()}")
        self._serving.add(node.name)

    def transfer(
        self,
        client: Node,
        server: Node,
        address: str,
        seconds: int,
        *,
        instances: int | None = None,
        streams: int | None = None,
        ways: int = 1,
    ) -> list[InstanceResult]:
        """One transfer from `client` to `server`, all instances at once; an InstanceResult each.

        `address`: the server's.  `instances` and `streams`: at most and as many as the object has
        where left out.  `ways`: so many transfers are made at once.  A client that hangs has
        failed.
        """
        ports = self._ports()[: instances or self.instances]
        streams = streams or self.streams
        often = len(ports) * streams * ways < _SEEN_OFTEN
        lines = [
            f"{self._pinned} iperf3 --client {address} --port {port} --parallel {streams} "
            f"--time {seconds} --interval {_INTERVAL if often else _SLOW_INTERVAL} "
            f"--congestion {self.congestion} --json "
            f"--connect-timeout {round(1000 * _CONNECT_SECONDS)} "
            f">{_FOLDER}/iperf3-{port}.json 2>&1 &"
            for port in ports
        ]
        script = "\n".join([*lines, "wait"])
        try:
            client.run(["sh"], input=script, timeout=seconds + _MARGIN_SECONDS + _EACH_WAY * ways)
            reports = [
                read(client.read(f"{_FOLDER}/iperf3-{port}.json").decode(errors="replace"))
                for port in ports
            ]
        except BackendError as error:
            # Killed where it hung: iperf3 waits without end for an answer that was lost.
            self._serving.discard(server.name)
            return [InstanceResult(failed=str(error))]
        if any(result.failed for result in reports):
            self._serving.discard(server.name)
        return reports

    def _ports(self) -> range:
        return range(FIRST_PORT, FIRST_PORT + self.instances)

    def _stop(self) -> str:
        files = " ".join(_pid_file(port) for port in self._ports())
        # iperf3 writes its number with a zero byte behind it.
        return (
            f"for file in {files}; do if [ -e $file ]; then\n"
            '  pid=$(tr -d "\\0" <$file); kill -9 $pid 2>/dev/null || :\n'
            "  while kill -0 $pid 2>/dev/null; do sleep 0.02; done; rm -f $file\n"
            "fi; done"
        )

    def _until_listening(self) -> str:
        """Wait for the servers' ports, some seconds at most: a daemon does not say it is ready."""
        wanted = "|".join(map(str, self._ports()))
        count = f"ss --no-header --listening --tcp --numeric | grep -cE ':({wanted}) '"
        return (
            f'for turn in $(seq 100); do [ "$({count})" = {self.instances} ] && exit 0; '
            "sleep 0.02; done\necho 'no server listens' >&2"
        )


def _pid_file(port: int) -> str:
    return f"{_FOLDER}/iperf3-{port}.pid"
