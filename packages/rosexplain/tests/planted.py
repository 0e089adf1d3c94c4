"""Exports in which secrets, and public addresses, are planted wherever people have them."""

from __future__ import annotations

from pathlib import Path

from asked import HEAD, LAN_AND_WAN

PLANTED = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").strip().split("\n")
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
