"""ppstraffic against trafgen: 64-byte frames over the same veth pair, from the same CPU.

    python tests/system/benchmarks/tester.py [--rounds 15] [--frames 300000] [--json FILE]

trafgen (Debian's netsniff-ng) repeats one constant frame.  ppstraffic writes a flow, a sequence
number, the intended and the actual send time, and a right UDP checksum into every frame.
Every round runs all contestants once, in random order; a contestant's rate is its frames over the
time that its own sending loop says it took, after the cable's far end has counted all of them.
Both run under the same real-time priority where that is allowed, as trafgen does by itself with
--prio-high: else the race is one for CPU time with whatever else runs here.
Rates drift with the machine's other work; ratios within a round do not, so those are reported:
their median with a 95 % bootstrap interval.  trafgen runs with the fastest of its own settings,
which scouting rounds choose.

Exit code: 0 ppstraffic is at least as fast (the median ratio of sending alone is 1 or more),
1 it is not, 3 this machine cannot tell.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from ppslab.model.statistics import Interval, ratio_interval

ROOT = Path(__file__).resolve().parents[3]
PPSTRAFFIC = ROOT / "_build" / "bin" / "ppstraffic"
SEND_CPU, RECEIVE_CPU = 0, 1
"""trafgen with one process always takes CPU 0."""

FRAME = """{
  0x02, 0x00, 0xc6, 0x12, 0x02, 0x02, 0x02, 0x00, 0xc6, 0x12, 0x01, 0x02, c16(0x0800),
  0x45, 0, c16(46), c16(0), c16(0), 64, 17, csumip(14, 33), 198, 18, 1, 2, 198, 18, 2, 2,
  c16(49184), c16(7), c16(26), c16(0), fill(0x00, 18)
}
"""
TRAFGEN_SETTINGS = {
    "as it comes": [],
    "ring 64 KiB": ["--ring-size", "64KiB"],
    "ring 2 MiB": ["--ring-size", "2MiB"],
    "ring 16 MiB": ["--ring-size", "16MiB"],
}
CABLES = """
for pair in 't1 t2' 't3 t4'; do
    set -- $pair
    ip link add $1 type veth peer name $2
    for port in $1 $2; do
        [ ! -e /proc/sys/net/ipv6 ] || echo 1 > /proc/sys/net/ipv6/conf/$port/disable_ipv6
        ip link set $port up
    done
done
"""


def first_in_line() -> list[str]:
    """The command before a contestant's that keeps other work off its CPU, where allowed."""
    chrt = ["chrt", "--fifo", "50"]
    if shutil.which("chrt") is None:
        return []
    allowed = subprocess.run([*chrt, "true"], capture_output=True, check=False).returncode == 0
    return chrt if allowed else []


def cannot(reason: str) -> NoReturn:
    """End, saying what this machine lacks."""
    print(f"tester.py: {reason}", file=sys.stderr)
    sys.exit(3)


def output_of(argv: list[str]) -> str:
    """What a command printed; the benchmark ends when it fails."""
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode != 0:
        cannot(f"{argv[0]} failed: {(done.stderr or done.stdout).strip()[-500:]}")
    return done.stdout


def arrived() -> int:
    """Frames that the far end of the cable has received since it was made."""
    (link,) = json.loads(output_of(["ip", "-s", "-j", "link", "show", "t2"]))
    return int(link["stats64"]["rx"]["packets"])


def trafgen_rate(configuration: Path, settings: list[str], frames: int) -> float:
    """Frames per second of one run of trafgen."""
    argv = [*first_in_line(), "trafgen", "--conf", str(configuration), "--dev", "t1", "--cpus", "1"]
    said = output_of([*argv, "--num", str(frames), *settings])
    took = re.search(r"(\d+) sec, (\d+) usec on CPU\d+ \((\d+) packets\)", said)
    if took is None or int(took[3]) != frames:
        cannot(f"trafgen did not say how long it took: {said.strip()[-500:]}")
    return frames / (int(took[1]) + int(took[2]) / 1e6)


def ppstraffic_rate(method: str, receive_at: str, frames: int) -> float:
    """Frames per second of one run of ppstraffic, which receives at interface `receive_at`."""
    flow = (
        "name=f,tx=p1,rx=p2,src-mac=02:00:c6:12:01:02,dst-mac=02:00:c6:12:02:02,"
        "src=198.18.1.2,dst=198.18.2.2,sport=49184,dport=7"
    )
    argv = [*first_in_line(), str(PPSTRAFFIC), "run", "--size", "64", "--rate", "max"]
    argv += ["--count", str(frames)]
    argv += ["--port", "p1=t1", "--port", f"p2={receive_at}", "--flow", flow, "--send", method]
    argv += ["--tx-cpu", str(SEND_CPU), "--rx-cpu", str(RECEIVE_CPU), "--drain", "20"]
    result = json.loads(output_of(argv))
    wanted = frames if receive_at == "t2" else 0
    if result["offered"] != frames or result["received"] + result["kernel_drops"] != wanted:
        cannot(f"ppstraffic lost frames on a cable: {result}")
    return float(frames / result["send_seconds"])


def checked(contestant: Callable[[], float], frames: int) -> float:
    """The contestant's rate; the benchmark ends when the cable has not seen all its frames."""
    before = arrived()
    rate = contestant()
    if arrived() - before < frames:
        cannot(f"only {arrived() - before} of {frames} frames went over the cable")
    return rate


def fastest_settings(configuration: Path, frames: int) -> str:
    """The name of trafgen's fastest settings: the best median of three short runs each."""
    rates: dict[str, list[float]] = {name: [] for name in TRAFGEN_SETTINGS}
    for _ in range(3):
        for name, settings in TRAFGEN_SETTINGS.items():
            rates[name].append(trafgen_rate(configuration, settings, frames // 2))
    for name, seen in rates.items():
        print(f"  trafgen, {name:14} {statistics.median(seen) / 1e3:7.0f} kpps")
    return max(rates, key=lambda name: statistics.median(rates[name]))


def race(rounds: int, frames: int, seed: int) -> tuple[str, dict[str, list[float]]]:
    """All contestants' rates, one a round; and which settings trafgen had."""
    output_of(["sh", "-ec", CABLES])
    with tempfile.TemporaryDirectory() as folder:
        configuration = Path(folder) / "frame.cfg"
        configuration.write_text(FRAME)
        best = fastest_settings(configuration, frames)
        contestants: dict[str, Callable[[], float]] = {
            "trafgen": lambda: trafgen_rate(configuration, TRAFGEN_SETTINGS[best], frames),
            "ppstraffic": lambda: ppstraffic_rate("auto", "t4", frames),
            "ppstraffic, sendmmsg": lambda: ppstraffic_rate("mmsg", "t4", frames),
            "ppstraffic, receiving too": lambda: ppstraffic_rate("auto", "t2", frames),
        }
        rates: dict[str, list[float]] = {name: [] for name in contestants}
        order, chance = list(contestants), random.Random(seed)
        for _ in range(rounds):
            chance.shuffle(order)
            for name in order:
                rates[name].append(checked(contestants[name], frames))
    return best, rates


def report(best: str, rates: dict[str, list[float]], frames: int) -> dict[str, Interval]:
    """Print the table; the ratios to trafgen."""
    rounds = len(rates["trafgen"])
    print(f"\n64-byte frames, veth, CPU {SEND_CPU}, {rounds} interleaved rounds of {frames} frames")
    priority = "real-time priority" if first_in_line() else "ordinary priority"
    print(f"Linux {platform.release()}; {priority}; trafgen at its fastest: {best}\n")
    print(f"{'':28}{'kpps':>7}{'ns/frame':>10}   ratio to trafgen [95 %]")
    ratios = {}
    for name, seen in rates.items():
        middle = statistics.median(seen)
        ratio = ratios[name] = ratio_interval(seen, rates["trafgen"])
        compared = f"{ratio.estimate:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]"
        print(f"{name:28}{middle / 1e3:7.0f}{1e9 / middle:10.0f}   {compared}")
    return ratios


def enter_namespace() -> None:
    """Start again in a network namespace that ends with this process."""
    if os.environ.get("PPSLAB_TESTER_INSIDE"):
        return
    for tool in ("trafgen", "unshare", "ip"):
        if shutil.which(tool) is None:
            cannot(f"{tool} is not installed: apt install netsniff-ng util-linux iproute2")
    if not PPSTRAFFIC.exists():
        cannot(f"{PPSTRAFFIC} is not built: make -C traffic")
    os.environ["PPSLAB_TESTER_INSIDE"] = "1"
    private = ["unshare", "--net"]
    if os.geteuid() != 0:
        private += ["--user", "--map-root-user"]
    os.execvp("unshare", [*private, sys.executable, __file__, *sys.argv[1:]])


def main() -> int:
    """Race, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--frames", type=int, default=300_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="also write all rates to this file")
    told = parser.parse_args()
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    enter_namespace()
    best, rates = race(told.rounds, told.frames, told.seed)
    ratios = report(best, rates, told.frames)
    if told.json:
        told.json.write_text(json.dumps({"trafgen": best, "frames_per_second": rates}, indent=1))
    return 0 if ratios["ppstraffic"].estimate >= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
