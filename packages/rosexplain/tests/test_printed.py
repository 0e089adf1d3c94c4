# ruff: noqa: E501  (what a terminal prints has long lines)
"""What a router printed: each shape that is read, what is told as not read, and contradictions.

The outputs have the shapes that the manual prints (Interface stats and monitor-traffic, Profiler,
Common Firewall Matchers and Actions, Bridging and Switching; read 2026-11); the numbers are ours.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from asked import HOME, MARK, PROMPT, plain, run

from rosexplain import printed, sentences
from rosexplain.base import base

HOME_FAST = HOME + MARK
SLOW = HOME_FAST.replace("fasttrack-connection", "accept")
STATS = """Flags: X - disabled, I - invalid, D - dynamic
 #    CHAIN                 ACTION                            BYTES         PACKETS
 0  D ;;; special dummy rule to show fasttrack counters
      forward               passthrough              50 507 925 242      50 048 246
 1    input                 accept                   20 090 211 549      20 009 864
 2    ;;; defconf: fasttrack
      forward               fasttrack-connection     {:>14}      {:>10}
"""


def commands(text: str) -> list[str]:
    return [command.text for command in printed.read(text, "p").commands]


def seen(text: str) -> list[tuple[str, str, int]]:
    return [(s["what"], s["value"], s["line"]) for s in printed.read(text, "p").seen]


@pytest.mark.parametrize(
    "head",
    [
        "Flags: X - DISABLED; R - RUNNING\nColumns: NAME, TYPE, ACTUAL-MTU, L2MTU\n#    NAME    TYPE      ACTUAL-MTU  L2MTU\n",
        "Flags: D - dynamic, X - disabled, R - running\n #     NAME   TYPE      ACTUAL-MTU L2MTU\n",
    ],
)
def test_interface_print_says_what_is_disabled(head: str) -> None:
    at = head.splitlines()[-1].index("NAME")
    rows = [("0 R", "ether1", "ether"), ("1 X", "wg1", "wg"), ("2 DR", "<p>", "pppoe-in")]
    kind = head.splitlines()[-1].index("TYPE")
    lines = [f"{number:{at}}{name:{kind - at}}{what:10}1500\n" for number, name, what in rows]
    lines.insert(1, ";;; a remark of mine\n")
    text = f"{PROMPT}/interface/print\n{head}{''.join(lines)}"
    assert commands(text) == [
        "/interface/ethernet enable \"ether1\"",
        "/interface/wireguard disable \"wg1\"",
    ]  # fmt: skip


def test_a_row_whose_comment_stands_first_goes_on_in_the_next_line() -> None:
    text = (
        " #     NAME     TYPE      ACTUAL-MTU\n"
        " 0  X  ;;; a remark of mine\n"
        "       wg1      wg              1420\n"
        " 1  R  ether1   ether           1500\n"
    )
    assert commands(text) == [
        '/interface/wireguard disable "wg1"',
        '/interface/ethernet enable "ether1"',
    ]


TOTAL = """Columns: NAME, USAGE
NAME            USAGE
interface-mgmt  0%
console         25.1%
total           25.1%
"""

WIKI = """NAME                    USAGE
ethernet                  20%
idle                      70%
queuing                   10.5%
"""

CORES = """Columns: NAME, CPU, USAGE
NAME         CPU  USAGE
console        0  95.5%
cpu0              95.5%
console        1  0.5%
wireless       1  0.5%
cpu1              1%
"""


@pytest.mark.parametrize("prompt", ["", f"{PROMPT}/tool/profile\n"])
@pytest.mark.parametrize(
    ("text", "what", "value"),
    [
        (TOTAL, "all cores together", "25 %"),
        (WIKI, "all cores together", "30 %"),
        (CORES, "core 0 is full", "95 %"),
        (CORES.replace("95.5", "90"), "core 0 is full", "90 %"),
        (CORES.replace("95.5", "45.5"), "the busiest core", "45 %"),
        # The tool prints one frame after the other: they are not added up.
        (CORES.replace("95.5", "45.5") * 3, "the busiest core", "45 %"),
        (TOTAL + TOTAL.replace("25.1", "31"), "all cores together", "31 %"),
    ],
)
def test_the_profile_with_and_without_a_column_of_cores(
    prompt: str, text: str, what: str, value: str
) -> None:
    ((said, share, _),) = seen(prompt + text)
    assert said == what and share.startswith(value)


DETAIL = """Flags: X - DISABLED; R - RUNNING; S - SLAVE
 0   S name="ether1" link-downs=0 rx-byte=0 rx-packet=0 fp-rx-packet=0
       fp-tx-packet=0 fp-rps-drop=0

 1  RS name="to the hall" last-link-up-time=2026-10-09 12:41:25 link-downs=0
       rx-byte=28 805 078 rx-packet=221 798 fp-rx-byte=27 917 886 fp-rx-packet=221 798
       fp-tx-packet=1 473 603
"""


@pytest.mark.parametrize("command", ["/interface/print stats-detail where name=ether1", ""])
def test_the_fast_path_s_counters_of_each_interface_in_groups_of_digits(command: str) -> None:
    assert [said[:2] for said in seen(PROMPT + command + "\n" + DETAIL)] == [
        ("fp-rx-packet of ether1", "0"),
        ("fp-tx-packet of ether1", "0"),
        ("fp-rx-packet of to the hall", "221798"),
        ("fp-tx-packet of to the hall", "1473603"),
    ]


EVERY = sorted({ask for rule in base()["rules"] for ask in rule["asks"]})


def test_every_command_that_the_report_names_is_read() -> None:
    assert all(printed.readable(one) for one in sentences.READ_BACK.split(", ")[:-1])
    slashed = [ask for ask in EVERY if printed.readable(ask)]
    assert all(printed.readable(ask.replace("/", " ").strip()) for ask in slashed)


def test_no_secret_of_a_command_that_was_typed_is_shown(tmp_path: Path) -> None:
    text = (
        f'{PROMPT}/ppp/secret/print count-only where comment=hunter2 comment~"hunter2" name=joe\n3\n'
        f"{PROMPT}/ppp secret hunter2\nhunter2\n{PROMPT}/ppp/secret/add password=hunter2\nhunter2\n"
    )
    for words_ in (("--all",), ("--json",)):
        _, out, error = run(tmp_path, HOME_FAST, *words_, printed=text)
        shown = " ".join((out + error).split())
        assert "hunter2" not in shown and "rows of /ppp/secret where ***" in shown


@pytest.mark.parametrize("text", [" \n", "%\n", "a %\n", "#NAMETYPE\nx\n", "[] >\n", "0 =\n", ' name="\n',
                                  "NAME TYPE\n0\n", "CHAIN ACTION PACKETS\n1  2  3  4\n", "/\n/=\n"])  # fmt: skip
def test_no_text_ends_in_a_traceback(text: str) -> None:
    for line in (
        "",
        f"{PROMPT}/interface/print\n",
        f"{PROMPT}/tool/profile\n",
        f"{PROMPT}/interface/bridge/print\n",
    ):
        printed.read(line + text, "p")


def test_the_line_of_the_export_decides_and_not_its_echo(tmp_path: Path) -> None:
    export = HOME_FAST + "/ip settings\nset allow-fast-path=no\n"
    for value, file in (("no", "r.rsc"), ("yes", "r.rsc")):
        text = f"{PROMPT}/ip/settings/print\n allow-fast-path: {value}\n"
        shown = plain(tmp_path, export, text)
        found = next(row for row in shown["classes"] if row["class"] == "established")
        assert found["answer"] == ("no" if value == "no" else "yes")
        assert found["reasons"][0]["lines"][0]["file"].endswith(file)


@pytest.mark.parametrize(
    "text",
    [
        f"{PROMPT}/ip/firewall/connection/print count-only where fasttrack\n0\n",
        f"{PROMPT}/ip/settings/print\n ipv4-fasttrack-active: no\n",
        f"{PROMPT}/ip/settings/print\n ipv4-fasttrack-packets: 0\n",
        STATS.format("0", "0"),
    ],
)
def test_a_router_that_fast_tracks_nothing_contradicts_fasttrack(tmp_path: Path, text: str) -> None:
    assert run(tmp_path, HOME_FAST, printed=text)[0] == 1
    shown = plain(tmp_path, HOME_FAST, text)
    assert shown["contradicted"] and shown["fast"] is False
    assert plain(tmp_path, SLOW, text)["contradicted"] == []


ONE_PORT = """# model = CHR
/interface bridge
add name=b
/interface bridge port
add bridge=b interface=ether2
"""


@pytest.mark.parametrize(
    ("export", "text", "count"),
    [
        ("/ip address\nadd address=10.0.0.1/8 interface=ether1\n", "ipv4-fast-path-active: no\n", 1),
        ("/ip address\nadd address=10.0.0.1/8 interface=ether1\n", "ipv4-fast-path-active: yes\n", 0),
        # FastTrack goes its way, be the fast path open or not.
        (HOME_FAST, "ipv4-fast-path-active: no\n", 0),
        (ONE_PORT, "bridge-fast-path-active: no\n", 1),
        (ONE_PORT, "bridge-fast-path-active: yes\n", 0),
    ],
)  # fmt: skip
def test_a_closed_fast_path_contradicts_an_open_one(
    tmp_path: Path, export: str, text: str, count: int
) -> None:
    assert len(plain(tmp_path, export, text)["contradicted"]) == count
