"""What a router printed, as answers to the questions of "My router only does X Mbit/s"."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ppslab.course.learning import slow
from ppslab.course.models.slow import answer, milliseconds, rate
from tests.course.models.both import both

DIALOGUE = slow.load(Path(__file__).parents[3] / slow.FILE)
FACTS = DIALOGUE.facts()

UNREAD = {"interrupts"}
"""Whose output no reader reads: the names of interrupts differ from driver to driver."""
UNDECIDED = {"ipsec", "both-lines", "container", "mss", "vlan-filtering", "frequency", "veth",
             "session-limit"}  # fmt: skip
"""Whose bad output alone does not decide: it says that there is something to look at."""

PROMPT = "[admin@MikroTik] > "


def asked(text: str, command: str = "") -> dict[str, str]:
    """Question to answer, of one text; empty: undecided."""
    given = answer({"printed": {"name": "x", "text": text}, "command": command}, FACTS)
    return {each["question"]: each["answer"] for each in given["answers"]}


def cases() -> list[Any]:
    """Each example of the page: its question, its text, and the answer that it is shown for."""
    return [
        (question, answer.shows, name)
        for question in DIALOGUE.questions
        for name, answer in question.answers.items()
        if answer.shows
    ]


def test_the_page_s_own_examples_answer_their_question() -> None:
    for question, text, wanted in cases():
        command = question.command.split("\n")[0]
        bare, prompted = asked(text, command), asked(f"{PROMPT}{command}\n{text}")
        if question.id in UNREAD:
            assert bare == prompted == {}, question.id
        else:
            open_ = wanted == "no" and question.id in UNDECIDED
            answer = "" if open_ else wanted
            assert bare[question.id] == prompted[question.id] == answer, (question.id, wanted)


SEVERAL = f"""{PROMPT}/system/resource/print
                  version: 7.20.8 (stable)
               board-name: hEX
{PROMPT}/interface/ethernet/print without-paging stats
                name: ether1          ether2
        rx-fcs-error: 0               0
             tx-drop: 0               91 204
[admin@MikroTik] /ip/settings> print
     ipv4-fast-path-active: no
     ipv4-fasttrack-active: no
    ipv4-fasttrack-packets: 0
{PROMPT}/queue/simple/print count-only
212
{PROMPT}/tool/profile cpu=all duration=5s
NAME        CPU  USAGE
firewall      2  61.0%
networking    2  38.5%
idle          0  97.0%
"""

TEXTS = [
    # a text, the command of its first lines, and its answers
    (SEVERAL, "", {"fcs": "yes", "drops": "", "path": "no", "queues": "no",
                   "cpu": "one-core-full", "busy": "firewall", "test": "yes"}),
    ("bad command name l3hw-settings (line 1 column 27)",
     "/interface/ethernet/switch/l3hw-settings/monitor", {"l3hw": "yes"}),
    # What a switch prints while l3-hw-offloading is no.
    ("ipv4-routes-total: 0\nipv4-routes-hw: 0\nipv4-routes-cpu: 0",
     "/interface/ethernet/switch/l3hw-settings/monitor", {"l3hw": "no"}),
    # An old count that no longer grows.
    ("name: ether1 ether2\ntx-drop: 5 91204\nname: ether1 ether2\ntx-drop: 5 91204",
     "/interface/ethernet/print stats", {"drops": "yes"}),
    ("bad command name container (line 1 column 2)", "/container/print count-only",
     {"container": "yes"}),
    # A total hides a single full core, unless everything is full.
    ("NAME        USAGE\nnetworking  20.0%\nidle        75.0%", "/tool/profile",
     {"cpu": "", "busy": "networking", "test": "yes"}),
    ("NAME        USAGE\nnetworking  95.0%\nidle         5.0%", "/tool/profile",
     {"cpu": "full", "busy": "networking", "test": "yes"}),
    ("NAME     CPU  USAGE\nrouting    2  93.0%\nidle       0  97.0%", "/tool profile cpu=all",
     {"cpu": "one-core-full", "busy": "routing", "test": "yes"}),
    ("NAME     USAGE\nmpls     96.0%\nidle      4.0%", "/tool profile",
     {"cpu": "full", "busy": "mpls", "test": "yes"}),
    # A task that the dialogue has no answer for.
    ("NAME     USAGE\nwinbox   96.0%\nidle      4.0%", "/tool profile",
     {"cpu": "full", "busy": "other", "test": "yes"}),
    ("NAME        USAGE\nwireguard   71.0%\nnetworking  26.0%\nidle         3.0%", "/tool/profile",
     {"cpu": "full", "busy": "wireguard", "test": "yes"}),
    # The load without its tasks, in the layouts of RouterOS 7 and 6.
    ("Columns: CPU, LOAD, IRQ, DISK\n#  CPU   LOAD  IRQ  DISK\n0  cpu0  99%   80%  0%\n"
     "1  cpu1  12%   0%   0%", "/system/resource/cpu/print", {"cpu": "one-core-full"}),
    (" # CPU       LOAD    IRQ   DISK\n 0 cpu0       97%    60%     0%\n"
     " 1 cpu1       95%    51%     0%", "/system resource cpu print", {"cpu": "full"}),
    # The cause of a restart counts more than the ports that come up after it.
    ("00:00:16 system,error,critical router was rebooted without proper shutdown\n"
     "00:00:21 interface,info ether1 link down", "/log/print", {"log": "power"}),
    ("07:00:01 system,info router rebooted", "/log print", {"log": ""}),
    ("cpu-load: 100%", "/system resource print", {"cpu": "full"}),
    ("cpu-load: 41%", "/system resource print", {"cpu": ""}),
    # Of several frames the last counts.
    ("NAME        CPU  USAGE\nbtest         0  90.0%\n"
     "NAME        CPU  USAGE\nnetworking    0  44.0%", "/tool/profile cpu=all",
     {"cpu": "idle", "busy": "networking", "test": "yes"}),
    # A full port is known by its own rate, where that was read before.
    ("[admin@R] > /interface/ethernet/monitor ether1 once\nrate: 10Gbps\nfull-duplex: yes\n"
     "[admin@R] > /interface/monitor-traffic ether1 once\nrx-bits-per-second: 975.0Mbps", "",
     {"link": "yes", "full": "yes"}),
    ("rate: 1Gbps\nfull-duplex: no", "/interface/ethernet/monitor ether1 once", {"link": "no"}),
    # Old style, with spaces instead of slashes.
    ("[admin@R] > /queue simple print count-only\n0", "", {"queues": "yes"}),
    ("[admin@R] > /interface bridge port print\n"
     "#    INTERFACE  BRIDGE   HW   PVID\n0  H ether2     bridge1  yes     1\n"
     "1    ether3     bridge1  yes     1", "", {"bridge": ""}),
    ("bad command name switch (line 1 column 21)", "/interface/ethernet/switch/print",
     {"chip": "yes"}),
    ("", "/ip/firewall/filter/print stats where action=fasttrack-connection", {}),
    ("#  CHAIN  ACTION  BYTES  PACKETS",
     "/ip/firewall/filter/print stats where action=fasttrack-connection", {"rule": "none"}),
    ("ipv4-fast-path-active: no\nipv4-fasttrack-active: yes\nipv4-fasttrack-packets: 0",
     "/ip/settings/print", {"path": "no"}),
    ("ipv4-fast-path-active: no\nipv4-fasttrack-active: yes\nipv4-fasttrack-packets: 1",
     "/ip/settings/print", {"path": "yes"}),
    ("ipv4-fast-path-active: yes\nipv4-fasttrack-active: no\nipv4-fasttrack-packets: 0",
     "/ip/settings/print", {"path": "fast"}),
    ("ipv4-fast-path-active: yes\nipv4-fast-path-packets: 0\nipv4-fasttrack-active: no",
     "/ip/settings/print", {"path": "no"}),
    ("ipv4-fast-path-active: yes\nipv4-fast-path-packets: 1\nipv4-fasttrack-active: no",
     "/ip/settings/print", {"path": "fast"}),
    # Of what is counted by queue, bridge or session: both directions, and each row.
    ("0 name=\"a\" dropped=0/0 total-dropped=0\n1 name=\"b\" dropped=0/1 total-dropped=1",
     "/queue simple print stats", {"limit": "no"}),
    ("0 name=\"a\" dropped=1 204/0 total-dropped=1 204\n1 name=\"b\" dropped=0/0",
     "/queue simple print stats", {"limit": "no"}),
    ("0 name=\"a\" dropped=0/0\n1 name=\"b\" dropped=0/0", "/queue simple print stats",
     {"limit": "yes"}),
    ("0 name=\"a\" dropped=3\n1 name=\"b\" dropped=0", "/queue tree print stats",
     {"tree-limit": "no"}),
    ("0 name=\"a\" actual-mtu=1500 l2mtu=1598\n1 name=\"b\" actual-mtu=1499",
     "/interface bridge print", {"bridge-mtu": "no"}),
    ("uptime: 1w2d\nuptime: 59m59s", "/interface pppoe-client monitor [find] once",
     {"reconnects": "no"}),
    ("uptime: 1h\nuptime: 1w2d", "/interface pppoe-client monitor [find] once",
     {"reconnects": "yes"}),
    ("status: connecting", "/interface pppoe-client monitor [find] once", {}),
    ("3", "/interface bridge print count-only where vlan-filtering=yes", {"vlan-filtering": ""}),
    ("2", "/interface bridge print count-only", {"bridges": "no"}),
    ("1", "/interface bridge print count-only", {"bridges": "yes"}),
    ("0", "/ip firewall mangle print count-only where action=jump", {}),
    # A ping without an answer decides nothing.
    ("SEQ HOST  SIZE TTL TIME STATUS\n0 192.0.2.1           timeout",
     "/ping 192.0.2.1 size=1500 do-not-fragment count=3", {}),
    ("hello world", "/ip/settings/print", {}),
    ("hello world", "", {}),
]  # fmt: skip


def test_a_text_answers_what_it_answers() -> None:
    for text, command, wanted in TEXTS:
        assert asked(text, command) == wanted, text


def test_the_router_s_name_is_read_and_nothing_of_its_configuration_is_said() -> None:
    given = answer({"printed": {"name": "x", "text": SEVERAL}, "command": ""}, FACTS)
    assert given["values"]["board"] == "hEX"
    assert any("tx-drop: ether2 91204." in each for each in given["says"])


def test_drops_are_added_over_directions_and_queues() -> None:
    text = "0 name=a dropped=1 204/1 total-dropped=1 205\n1 name=b dropped=4/0"
    given = answer({"printed": {"name": "x", "text": text}, "command": "/queue simple print stats"},
                   FACTS)  # fmt: skip
    assert given["says"] == ["The simple queues dropped 1209 packets."]


def test_what_is_not_read_is_said() -> None:
    given = answer({"printed": {"text": f"{PROMPT}/user/print\nsecret"}, "command": ""}, FACTS)
    assert given["answers"] == [] and "/user/print" in given["warns"][0]
    assert "secret" not in str(given)


def test_of_the_log_only_known_messages_are_shown() -> None:
    text = f"{PROMPT}/log/print\nsystem,info user secret logged in\ninterface,info ether1 link down"
    given = answer({"printed": {"text": text}, "command": ""}, FACTS)
    assert given["answers"][0]["answer"] == "link" and "secret" not in str(given)


@pytest.mark.parametrize(
    ("text", "bits"),
    [("975.0Mbps", 975e6), ("1Gbps", 1e9), ("2.5Gbps", 2.5e9), ("0bps", 0.0),
     ("310.5kbps", 310_500.0), ("fast", None), ("xMbps", None)],
)  # fmt: skip
def test_rates(text: str, bits: float | None) -> None:
    assert rate(text) == bits


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("4ms", 4.0), ("12ms340us", 12.34), ("1s20ms", 1020.0), ("3d4h12m8s", 274_328_000.0),
     ("timeout", None), ("", None), ("58", None)],
)  # fmt: skip
def test_times(text: str, wanted: float | None) -> None:
    found = milliseconds(text)
    assert found == (None if wanted is None else pytest.approx(wanted))


def test_the_page_s_python_answers_the_same() -> None:
    texts = [(text, command) for text, command, _ in TEXTS]
    texts += [
        (t, q.command) for q in DIALOGUE.questions for t in (a.shows for a in q.answers.values())
    ]
    both("slow", [{"printed": {"name": "x", "text": t}, "command": c} for t, c in texts])
