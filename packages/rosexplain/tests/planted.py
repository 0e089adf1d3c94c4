"""Exports in which secrets, and public addresses, are planted wherever people have them."""

from __future__ import annotations

from asked import HEAD, LAN_AND_WAN

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
/queue/simple|add name=q parent=§ limit-at=§ target=192.0.2.1 comment=§
/new/menu|add never-heard=§
""".strip().split("\n")
"""A menu and a command in it; § is the secret."""

MARK = "hunterQ7"
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
    lines, count = [LAN_AND_WAN], 0
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


PUBLIC = "203.0.113."
EVERYWHERE = f"""{HEAD}/interface pppoe-client
add disabled=no interface=ether1 name=pppoe-{PUBLIC}1 user=x
/interface eoip
add allow-fast-path=no name=face{PUBLIC}2 remote-address={PUBLIC}3
/ip address
add address=192.168.1.1/24 interface=ether2
add address={PUBLIC}4/29 interface=ether3
/ip firewall address-list
add address={PUBLIC}5-{PUBLIC}6 list=from.{PUBLIC}7.
add address=2001:db8::8 list=from6
/ip firewall filter
add action=accept chain=forward dst-address={PUBLIC}9 src-address=!{PUBLIC}10
add action=accept chain=forward src-address-list=from.{PUBLIC}7.
add action=drop chain=forward connection-mark={PUBLIC}11 dst-address={PUBLIC}12/31
add action=fasttrack-connection chain=forward connection-state=established,related
/ip firewall nat
add action=dst-nat chain=dstnat dst-address={PUBLIC}13 to-addresses=192.168.1.9
add action=masquerade chain=srcnat out-interface=pppoe-{PUBLIC}1
/ip ipsec policy
add dst-address={PUBLIC}14/32 src-address=192.168.1.0/24 peer={PUBLIC}15 tunnel=yes
/ip route
add dst-address=0.0.0.0/0 gateway={PUBLIC}16%ether3
/queue simple
add max-limit=1M/1M name=q{PUBLIC}17 target={PUBLIC}18/32
"""
PRINTED = f"""[admin@r] > /interface/print stats-detail
 0 R name="pppoe-{PUBLIC}1" link-downs=0 rx-byte=0 rx-packet=12 fp-rx-packet=12
"""
