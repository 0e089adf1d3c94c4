"""Frames from one node to another, by Python's own sockets."""

from __future__ import annotations

import sys
import threading

from ppslab.testbed.backends import Deployment
from tests.support.waiting import PATIENCE

# Sends to the address in argv and prints what comes back; tries again until the other end is up.
ASK = """
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, 10, 2)  # IP_MTU_DISCOVER, IP_PMTUDISC_DO: no fragments
s.settimeout(0.1)
until = time.monotonic() + float(sys.argv[3])
while time.monotonic() < until:
    try:
        s.sendto(b"x" * int(sys.argv[2]), (sys.argv[1], 9))
        print(len(s.recv(65536)))
        break
    except (TimeoutError, ConnectionRefusedError):
        time.sleep(0.02)
    except OSError as error:
        sys.exit(error.strerror)
"""

ANSWER = """
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 9))
s.settimeout(float(sys.argv[1]))
data, who = s.recvfrom(65536)
s.sendto(data, who)
"""


def exchange(lab: Deployment, size: int, address: str) -> str:
    """Have the tester send a datagram to the dut, which sends it back; what the tester said."""
    answering = [sys.executable, "-c", ANSWER, str(PATIENCE)]
    answer = threading.Thread(target=lambda: lab.node("dut").run(answering, check=False))
    answer.start()
    asking = [sys.executable, "-c", ASK]
    done = lab.node("tester").run([*asking, address, str(size), str(PATIENCE)], check=False)
    if done.returncode:
        # Nothing was sent: let the answerer go.
        lab.node("dut").run([*asking, "127.0.0.1", "1", str(PATIENCE)])
    answer.join()
    return (done.stdout + done.stderr).strip()
