# ruff: noqa: E501  (kinds of secrets, one a line)
"""Secrets planted in an export: none is shown, wherever the answer goes."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from ppslab.course.models import explain as page
from ppslab.theory.packet_path import exports
from ppslab.theory.packet_path.explain.answering import Answer
from ppslab.theory.packet_path.exports import printed, secrets
from ppslab.theory.packet_path.exports.row import Row
from tests.course.models.both import known
from tests.theory.packet_path.asked import ask, run

PLANTED = """
/container/envs|add name=e key=K value=§
/container/envs|add name=e key=§ value=1
/container|add cmd=§ entrypoint=§
/container|add cmd="/bin/sh -c '§'" interface=veth1
/container|add entrypoint="/run --token §"
/container/config|set registry-url=https://u:§@registry.example
/container/config|set username=u password=§
/container/mounts|add name=m src=/§ dst=/x
/zerotier|set zt1 identity="abc:0:§"
/interface/macsec|add cak=§ ckn=00 interface=ether1
/interface/macsec|add ckn=§ interface=ether1
/interface/wireless/security-profiles|add name=p static-key-0=§
/interface/wireless/security-profiles|add name=p static-key-1=§
/interface/wireless/security-profiles|add name=p static-key-2=§
/interface/wireless/security-profiles|add name=p static-key-3=§
/interface/wireless/security-profiles|add wpa2-pre-shared-key=§ wpa-pre-shared-key=§
/interface/wireless/security-profiles|add supplicant-identity=§
/interface/wifi/security|add name=s passphrase=§
/interface/wifi|set wifi1 security.passphrase=§
/interface/wifi/security|add eap-username=u eap-password=§
/interface/wifi/access-list|add passphrase=§
/caps-man/security|add passphrase=§
/caps-man/access-list|add private-passphrase=§
/snmp|set trap-community=§
/snmp|set contact=§ location=§
/snmp/community|add name=§
/snmp/community|add name=x authentication-password=§ encryption-password=§
/interface/lte|set lte1 pin=§
/interface/lte/apn|add apn=x password=§ user=§
/interface/ppp-client|add pin=§ password=§
/ip/dns|set use-doh-server=https://dns.example/§/query
/ip/dns/static|add name=a text=§
/ip/dhcp-server/option|add code=66 name=o value="'§'"
/ip/dhcp-client/option|add code=60 name=o value=§
/ip/dhcp-server|add lease-script=§
/ip/dhcp-client|add interface=ether1 script=§
/tr069-client|set acs-url=https://u:§@acs.example
/tr069-client|set username=§ password=§
/tool/fetch|set http-header-field="Authorization: Bearer §"
/file|add name=f contents=§
/user-manager/user|add name=u attributes=Mikrotik-Group:§
/user-manager/user|add name=u password=§ otp-secret=§
/user-manager/router|add shared-secret=§
/interface/wireguard|add name=wg1 private-key="§="
/interface/wireguard/peers|add preshared-key="§=" public-key="§="
/interface/wireguard/peers|add private-key="§=" client-address=§
/ppp/secret|add name=u password=§
/ppp/secret|add name=§ password=x
/ppp/profile|add name=p on-up=§ on-down=§
/ip/ipsec/identity|add secret=§ peer=p
/ip/ipsec/identity|add password=§ username=§
/ip/ipsec/key|add name=§
/radius|add secret=§ address=192.0.2.1
/radius/incoming|set accept=yes vrf=§
/ip/hotspot/user|add name=u password=§
/ip/hotspot/profile|set radius-mac-format=§ mac-auth-password=§
/user|add name=u password=§
/user|add name=§ group=full
/system/script|add name=s source=":global p §"
/system/scheduler|add name=s on-event=":log info §"
/tool/netwatch|add host=192.0.2.1 down-script=§ up-script=§
/tool/netwatch|add host=192.0.2.1 http-codes=§ test-script=§
/tool/e-mail|set password=§ user=§
/tool/sms|set secret=§ allowed-number=§
/ip/cloud|set ddns-update-interval=§
/system/note|set note=§
/certificate|add name=c challenge-password=§
/certificate/scep-server|add challenge-password=§
/ip/ssh|set host-key=§
/routing/ospf/interface-template|add auth-key=§
/routing/ospf/interface|add authentication-key=§
/routing/bgp/connection|add name=b tcp-md5-key=§
/routing/rip/interface-template|add password=§
/interface/vrrp|add name=v password=§
/interface/l2tp-client|add name=l password=§ user=§ ipsec-secret=§
/interface/l2tp-server/server|set ipsec-secret=§
/interface/eoip|add name=e ipsec-secret=§
/interface/gre|add name=g ipsec-secret=§
/interface/ipip|add name=i ipsec-secret=§
/interface/pppoe-client|add name=p password=§ user=§
/interface/sstp-client|add name=p password=§ user=§ proxy=§
/interface/ovpn-client|add name=p password=§ user=§
/interface/pptp-client|add name=p password=§ user=§
/interface/ovpn-server/server|set key=§ auth=§
/interface/dot1x/client|add password=§ identity=§
/ip/proxy|set cache-administrator=§
/ip/smb/users|add name=u password=§
/system/ntp/key|add key=§
/system/logging/action|add email-to=§ remote=§
/system/identity|set name=§
/tool/romon|set secrets=§
/iot/mqtt/brokers|add password=§ address=§
/lora/servers|add address=§ name=§
/dude|set data-directory=§
/disk|add encryption-key=§ smb-password=§
/system/upgrade/mirror|set password=§
/tool/traffic-generator/raw-packet-template|add header=§
/ip/firewall/layer7-protocol|add name=l regexp=§
/ip/firewall/filter|add chain=forward action=accept content=§
/ip/firewall/filter|add chain=forward action=accept tls-host=§
/ip/firewall/filter|add chain=forward action=drop comment=§ log-prefix=§
/queue/simple|add name=q target=192.0.2.1 comment=§
/new/menu|add never-heard=§
""".strip().split("\n")
"""A menu and a command in it; § is the secret."""

EXAMPLES = Path(exports.__file__).parents[1] / "examples"
MARK = "hunterQ7"
AROUND = """/interface list
add name=WAN
/interface list member
add interface=ether1 list=WAN
/ip address
add address=198.18.1.1/24 interface=ether2
"""

FORMS = {
    "plain": "{menu}\n{line}",
    "in one line": "{menu} {line}",
    "continued": "{menu}\n{cut}",
    "the backslash is lost": "{menu}\n{lost}",
    "in braces": "{menu} {{ {line} }}",
    "in a quote": '/system script\nadd name=x source="{quoted}"',
    "printed": " 0   name=x {printed}",
    "put": ':put "{quoted}"',
    "two in one line": "{menu}\nset 0 disabled=no; {line}",
    "as a comment": "# {line}",
    "selected": "{menu}\nset [ find {value} ] disabled=yes",
}


def planted(form: str) -> tuple[str, int]:
    """An export with every kind of secret in this form, and how many there are."""
    lines, count = [AROUND], 0
    for each in PLANTED:
        menu, line = each.split("|")
        while "§" in line:
            line = line.replace("§", MARK + str(count), 1)
            count += 1
        at = line.index(MARK)
        lines.append(
            FORMS[form].format(
                menu=menu,
                line=line,
                cut=line[:at] + "\\\n    " + line[at:],
                lost=line[:at] + "\n    " + line[at:],
                quoted=line.replace("\\", "\\\\").replace('"', '\\"'),
                printed=line.partition(" ")[2].replace("=", ": "),
                value=line.partition(" ")[2].split(" ")[-1],
            )
        )
    return "\n".join(lines) + "\n", count


def test_there_are_enough() -> None:
    assert planted("plain")[1] >= 130
    assert len({each.partition("|")[0] for each in PLANTED}) >= 60


@pytest.mark.parametrize("form", FORMS)
def test_no_secret_is_shown(form: str, tmp_path: Path) -> None:
    text, _ = planted(form)
    html = tmp_path / "r.html"
    inputs: dict[str, Any] = {each["name"]: each.get("value") for each in page.CONTROLS}
    inputs |= {"export": {"name": "r.rsc", "text": text}, "example": "", "packet": ""}
    places = {
        "text": run(tmp_path, text).output,
        "--json": run(tmp_path, text, "--json").output,
        "--html": run(tmp_path, text, "--html", str(html)).output
        + html.read_text(encoding="utf-8"),
        "page": json.dumps(page.answer(inputs, known("explain"))),
        "print": repr([vars(each) for each in printed.read(text, "p").unread]),
    }
    for place, shown in places.items():
        at = shown.find(MARK)
        assert at < 0, (place, shown[max(0, at - 200) : at + 40])


def test_what_a_rule_reads_is_shown() -> None:
    text = "/ip firewall filter\nadd action=drop chain=forward comment=a src-address-list=bad\n"
    lines = Answer(ask(text)).listing(9, [])
    assert lines[-1][2] == "add action=drop chain=forward comment=*** src-address-list=bad"


def test_a_property_that_is_read_is_in_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is asked of a row, by the code that answers, of our examples and an export of all."""
    read: set[tuple[str, str]] = set()
    get = Row.get

    def recorded(row: Row, name: str, otherwise: str = "") -> str:
        caller = sys._getframe(1).f_code.co_filename
        if "/explain/" in caller and not caller.endswith("matchers.py") and row.says(name):
            read.add((row.menu.path, name))
        return get(row, name, otherwise)

    monkeypatch.setattr(Row, "get", recorded)
    for text in [planted("plain")[0], *(path.read_text() for path in EXAMPLES.glob("*.rsc"))]:
        Answer(ask(text)).plain()
    assert len(read) >= 20
    missing = {
        (menu, name)
        for menu, name in read
        if not secrets.is_shown(menu, name) and not secrets.is_secret(menu, name)
    }
    assert not missing
