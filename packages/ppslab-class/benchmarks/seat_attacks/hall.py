"""The hall's network beside the box: it answers, and comes to a port when it is told to."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

HALL, HALL_PORT, GUEST_PORT, OWN = "198.18.0.2", 7000, 7001, "198.18.0.1"

# The hall's network: answers TCP and UDP, and comes to a port when it is told to.
HALL_PROGRAM: Final = f"""
import socket, sys, threading, time
tcp = socket.create_server(("{HALL}", {HALL_PORT}))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); udp.bind(("{HALL}", {HALL_PORT}))
def echo():
    while True:
        data, who = udp.recvfrom(10); udp.sendto(data, who)
def accept():
    while True:
        tcp.accept()[0].close()
for each in (echo, accept):
    threading.Thread(target=each, daemon=True).start()
print("ready", flush=True)
for _ in sys.stdin:
    for _ in range(200):  # until it listens, which a busy machine puts off
        try:
            socket.create_connection(("{OWN}", {GUEST_PORT}), timeout=0.5).close()
            break
        except OSError:
            time.sleep(0.3)
"""


def sh(*words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, check=True, capture_output=True, text=True, **more)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@contextmanager
def the_hall() -> Iterator[subprocess.Popen[str]]:
    sh("ip", "netns", "add", "hall")
    sh("ip", "link", "add", "hall0", "type", "veth", "peer", "name", "hall1", "netns", "hall")
    sh("ip", "address", "add", f"{OWN}/24", "dev", "hall0")
    sh("ip", "link", "set", "hall0", "up")
    for words in (("address", "add", f"{HALL}/24", "dev", "hall1"), ("link", "set", "hall1", "up")):
        sh("ip", "-n", "hall", *words)
    program = subprocess.Popen(
        ["ip", "netns", "exec", "hall", sys.executable, "-c", HALL_PROGRAM],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert program.stdout and program.stdout.readline() == "ready\n"
    try:
        yield program
    finally:
        program.kill()
        program.wait()
