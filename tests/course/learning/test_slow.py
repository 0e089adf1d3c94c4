"""The dialogue "My router only does X Mbit/s": where answers lead, and what it is made of."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given as given_random
from hypothesis import strategies as st

from ppslab.core.errors import FileError
from ppslab.course.learning import slow
from ppslab.course.site.directives.slow import at_once
from ppslab.testbed.routers.routeros.rsc import lint

ROOT = Path(__file__).parents[3]
DIALOGUE = slow.load(ROOT / slow.FILE)

PATHS = [
    # answers, as somebody gives them; all others "I don't know" -> the cause, if it is settled
    ("slow=wifi-only", "radio", False),
    ("slow=wifi-only rates=no", "radio", True),
    ("slow=wifi-only link=no", "slow-link", True),
    ("slow=wifi-only began=update", "update", False),
    ("slow=unlimited path=yes", "fasttrack-skips-limits", True),
    ("slow=unlimited has=queues path=no", "queue-wrong", False),
    ("slow=one-site", "one-site", False),
    ("slow=one-site has=tunnel-l2 bridge-mtu=no", "low-bridge-mtu", True),
    ("slow=one-site has=pppoe mss=no", "fragments", False),
    ("slow=one-site mtu=no", "fragments", True),
    ("slow=one-client has=second-line both-lines=no rule=yes", "marks-and-fasttrack", False),
    (
        "slow=one-client has=second-line both-lines=no rule=yes without-fasttrack=no",
        "marks-and-fasttrack",
        True,
    ),
    (
        "slow=one-client has=second-line both-lines=no rule=yes without-fasttrack=yes",
        "marks",
        False,
    ),
    ("slow=one-client has=second-line both-lines=no rule=zero", "marks", False),
    ("slow=one-client has=second-line both-lines=no rule=none", "marks", True),
    ("slow=one-client other-pc=no", "test-machine", False),
    ("slow=one-client other-pc=yes cpu=full", "device-limit", False),
    ("slow=one-client mtu=no", "fragments", True),
    ("slow=one-client has=switch-as-router mtu=no", "l2mtu", False),
    ("slow=one-client has=wifi-test", "radio", False),
    ("slow=one-client has=wifi-test other-pc=no", "test-machine", False),
    ("slow=breaks when=load connections=own", "connection-table", True),
    ("slow=one-client has=wifi-test rates=yes other-pc=no", "test-machine", False),
    ("slow=one-client test=no", "test-on-router", True),
    ("slow=one-client began=update", "update", False),
    ("slow=one-client has=queues limit=no", "queue-limit", False),
    ("slow=one-port link=no", "slow-link", False),
    ("slow=one-port link=no has=vlan", "slow-link", True),
    ("slow=one-port link=no has=sfp module=no", "copper-module", False),
    ("slow=one-port has=sfp link=yes", "copper-module", False),
    ("slow=one-port fcs=no", "bad-cable", True),
    ("slow=one-port drops=no", "short-queue", False),
    ("slow=one-port drops=no port-limits=yes", "short-queue", True),
    ("slow=one-port drops=no port-limits=no", "port-limit", False),
    ("slow=one-port", "bad-cable", False),
    ("slow=one-port other-port=no", "bad-cable", False),
    ("slow=one-port began=new-device", "update", False),
    ("slow=through-vpn has=wireguard began=suddenly", "provider", False),
    ("slow=all rule=none", "fasttrack-missing", False),
    ("slow=all rule=zero tracking=no", "tracking-off", False),
    ("slow=packets hops=own fcs=yes", "update", False),
    ("slow=all", "device-limit", False),
    ("slow=all cpu=idle began=suddenly", "provider", False),
    ("slow=one-client both-ways=no", "one-direction", False),
    ("slow=all figures=near", "nothing-wrong", False),
    ("slow=all figures=near waiting=no", "bufferbloat", False),
    ("slow=silent began=change has=vpn", "no-way", False),
    ("slow=one-port other-port=yes", "update", False),
    ("slow=one-port other-port=yes began=suddenly", "power", False),
    ("slow=one-port link=none began=update", "update", False),
    ("slow=one-site has=vpn", "dns", False),
    ("slow=one-site has=vpn names=yes", "one-site", False),
    ("slow=one-site has=vpn way-out=no", "default-route-in-tunnel", False),
    ("slow=through-vpn has=vpn began=suddenly direction=download", "provider", False),
    ("slow=one-port other-port=no other-pc=no", "test-machine", False),
    ("slow=one-port has=vlan link=yes stays-up=yes", "vlan-setup", False),
    ("slow=all direction=upload", "slow-link", False),
    ("slow=packets waiting=no", "bufferbloat", False),
    ("slow=packets waiting=no cpu=idle", "bufferbloat", False),
    ("slow=all cpu=idle began=suddenly waiting=no storm=no", "loop", False),
    ("slow=through-vpn cpu=idle has=vpn near=no", "long-way", False),
    ("slow=through-vpn cpu=idle has=vpn names=no", "dns", False),
    ("slow=breaks has=wireguard when=any revive=tunnel", "idle-timeout", False),
    ("slow=breaks has=wireguard when=any passes=stops", "idle-timeout", False),
    ("slow=breaks began=suddenly log=nothing stays-up=yes revive=restart", "power", False),
    ("slow=through-vpn cpu=idle has=wireguard,lte", "provider", False),
    ("slow=packets waiting=no cpu=idle has=queues", "bufferbloat", False),
    ("slow=packets waiting=no cpu=full busy=routing", "routing-or-mpls", True),
    ("slow=packets tools=no", "capture-twice", False),
    ("slow=packets has=bgp l3hw=no", "left-to-cpu", True),
    ("slow=all began=certain-hours", "provider", False),
    ("slow=all began=certain-hours cpu=full", "device-limit", False),
    ("slow=all test=no", "test-on-router", False),
    ("slow=single-stream cpu=idle", "one-stream", False),
    ("slow=single-stream cpu=idle has=bonding", "bond-one-link", False),
    ("slow=through-vpn cpu=full has=mpls", "routing-or-mpls", False),
    ("slow=through-vpn cpu=full busy=networking full=no", "full-link", True),
    ("slow=through-vpn has=wireguard", "slow-cipher", False),
    ("slow=through-vpn has=wireguard far-end=no", "other-end", True),
    ("slow=through-vpn has=wireguard other-pc=no", "test-machine", False),
    ("slow=through-vpn cpu=idle has=wireguard direct=yes", "cpu-frequency", False),
    ("slow=through-vpn cpu=full busy=wireguard", "slow-cipher", True),
    ("slow=through-vpn cpu=full has=vpn", "vpn-protocol", False),
    ("slow=through-vpn cpu=idle has=vpn", "vpn-protocol", False),
    ("slow=through-vpn has=container container=no", "vpn-in-container", False),
    ("slow=through-vpn cpu=idle has=ipsec ipsec=no", "ipsec-and-fasttrack", False),
    ("slow=through-vpn cpu=idle has=wireguard frequency=no", "cpu-frequency", False),
    ("slow=through-vpn cpu=idle has=wireguard", "fragments", False),
    ("slow=through-vpn cpu=idle has=wireguard mtu=yes", "provider", False),
    ("slow=through-vpn cpu=idle has=ipsec", "ipsec-and-fasttrack", False),
    ("slow=through-vpn cpu=idle began=update has=wireguard", "update", False),
    ("slow=between-networks cpu=full l3hw-switch=no", "offload-off", True),
    ("slow=between-networks has=vlan vlan-filtering=no", "filtering-by-cpu", False),
    ("slow=between-networks cpu=idle has=several-bridges bridges=no", "second-bridge", False),
    ("slow=between-networks cpu=full has=several-bridges bridges=no", "second-bridge", False),
    ("slow=between-networks streams=no has=bonding", "bond-one-link", True),
    ("slow=between-networks streams=yes has=bonding", "bond-one-link", False),
    ("slow=between-networks began=update", "update", False),
    ("slow=between-networks bridge=no", "bridge-setting", False),
    ("slow=one-client has=vlan bridge=no chip=no cpu=full", "filtering-by-cpu", False),
    (
        "slow=one-client has=vlan bridge=no vlan-filtering=yes bridges=yes chip=no cpu=full",
        "bridge-setting",
        True,
    ),
    ("slow=between-networks bridge=no chip=yes", "device-limit", True),
    ("slow=between-networks cpu=full rule=none", "fasttrack-missing", True),
    ("slow=between-networks", "between-vlans", False),
    ("slow=between-networks arrives=no", "no-way", False),
    ("slow=between-networks arrives=yes both-ways=no cpu=idle", "one-direction", False),
    ("slow=all cpu=full busy=routing", "routing-or-mpls", True),
    ("slow=all cpu=full busy=dns", "dns", False),
    ("slow=all cpu=full busy=dns strangers=yes", "dns", True),
    ("slow=all cpu=full busy=dns strangers=no", "attack", True),
    ("slow=all cpu=full busy=bridging bridge=no bridges=no", "second-bridge", True),
    ("slow=all cpu=full began=update path=yes", "update", False),
    ("slow=all cpu=full has=many-rules path=yes", "long-firewall", False),
    ("slow=all has=queues path=yes", "fasttrack-skips-limits", False),
    ("slow=all has=queues path=no queues=no", "simple-queues", False),
    ("slow=one-port link=no has=sfp", "slow-link", False),
    ("slow=all cpu=full busy=management", "other-task", False),
    ("slow=all cpu=full busy=management has=vlan vlan-filtering=no", "filtering-by-cpu", False),
    ("slow=all cpu=full busy=bridging bridge=yes", "loop", False),
    ("slow=all cpu=full busy=bridging bridge=yes storm=no", "loop", False),
    ("slow=all cpu=full busy=firewall connections=flood", "attack", True),
    ("slow=all cpu=full busy=firewall connections=grows", "connection-table", True),
    ("slow=all cpu=full began=suddenly path=yes", "attack", False),
    ("slow=all cpu=full has=switch-as-router path=yes", "wrong-role", False),
    ("slow=all cpu=one-core-full began=update path=yes", "update", False),
    ("slow=all cpu=one-core-full has=chr path=yes", "virtual-card", False),
    ("slow=all cpu=one-core-full busy=firewall path=yes", "long-firewall", False),
    ("slow=all cpu=full busy=l7-matcher", "layer7", True),
    ("slow=all cpu=full busy=queuing queues=no", "simple-queues", True),
    ("slow=all cpu=full busy=queuing tree=no", "global-tree", True),
    ("slow=all cpu=full has=ppp-server reconnects=no", "reconnecting", True),
    ("slow=all cpu=one-core-full has=pppoe", "pppoe-one-core", False),
    ("slow=all cpu=one-core-full has=pppoe busy=ppp", "pppoe-one-core", True),
    ("slow=all cpu=one-core-full has=pppoe busy=queuing queues=no", "simple-queues", True),
    ("slow=all cpu=one-core-full interrupts=no", "one-interrupt", True),
    ("slow=all cpu=one-core-full path=yes share=yes", "one-stream", False),
    ("slow=all cpu=full path=no rule=none", "fasttrack-missing", True),
    ("slow=all cpu=full path=no rule=zero", "rule-missed", False),
    ("slow=all cpu=full path=no rule=zero tracking=yes", "rule-missed", True),
    ("slow=between-networks cpu=full rule=zero", "rule-missed", False),
    ("slow=between-networks has=vlan cpu=full rule=zero", "between-vlans", False),
    ("slow=all cpu=full path=no rule=zero tracking=no", "tracking-off", True),
    ("slow=all cpu=full path=yes share=no rule=yes", "rule-missed", False),
    ("slow=all cpu=full path=no rule=yes tracking=no", "tracking-off", True),
    ("slow=all cpu=full path=no rule=yes tools=no", "running-tool", True),
    ("slow=all cpu=full path=no rule=yes bridge-path=no", "bridge-closed", True),
    ("slow=all cpu=full path=no rule=yes", "hidden-condition", False),
    ("slow=all cpu=full path=yes share=yes", "device-limit", False),
    ("slow=all path=yes figure=reached", "device-limit", False),
    ("slow=all cpu=idle has=chr licence=no", "free-licence", True),
    ("slow=all cpu=idle has=chr", "virtual-card", False),
    ("slow=all cpu=idle has=chr figures=one", "free-licence", False),
    ("slow=all cpu=idle has=chr licence=yes figures=one", "free-licence", False),
    ("slow=all cpu=idle has=lte", "radio", False),
    ("slow=all cpu=idle has=lte rates=no", "radio", True),
    ("slow=all cpu=idle has=lte rates=yes link=no", "slow-link", True),
    ("slow=all cpu=idle began=update", "update", False),
    ("slow=all cpu=idle direct=yes", "slow-link", False),
    ("slow=all direct=yes", "slow-link", False),
    ("slow=all direct=yes link=yes", "device-limit", False),
    ("slow=all cpu=idle direct=yes link=yes both-ways=no", "one-direction", False),
    ("slow=all cpu=idle direct=no", "test-machine", False),
    ("slow=all cpu=idle direct=no began=new-line", "provider", False),
    ("slow=all cpu=idle full=no", "full-link", True),
    ("slow=all cpu=idle streams=no", "one-stream", False),
    ("slow=all cpu=idle names=no", "dns", False),
    ("slow=all cpu=idle full=yes", "dns", False),
    ("slow=all cpu=idle", "provider", False),
    ("slow=all cpu=idle direct=no other-pc=yes", "provider", False),
    ("slow=all cpu=idle direct=yes began=new-device old-mac=no", "provider-mac", True),
    ("slow=all cpu=idle has=ipv6 ipv4=no", "ipv6-slow", False),
    ("slow=all cpu=idle has=sfp direction=upload", "short-queue", False),
    ("slow=all cpu=idle has=sfp module=no", "copper-module", False),
    ("slow=all has=switch-as-router", "wrong-role", False),
    ("slow=all cpu=idle has=container veth=no", "veth-in-bridge", False),
    ("slow=all cpu=idle has=container began=change", "veth-in-bridge", False),
    ("slow=all cpu=idle has=queues limit=no", "queue-limit", False),
    ("slow=all has=queues limit=yes", "queue-wrong", False),
    ("slow=packets cpu=idle", "bufferbloat", False),
    ("slow=all has=second-line", "marks", False),
    ("has=second-line", "marks-and-fasttrack", False),
    ("slow=all has=second-line balance=no", "marks", False),
    ("slow=disk", "disk", False),
    ("slow=one-site has=tunnel-l2", "low-bridge-mtu", False),
    ("slow=between-networks cpu=idle jumbo=no", "l2mtu", True),
    ("slow=through-vpn cpu=full has=wireguard frequency=no", "cpu-frequency", False),
    ("slow=through-vpn cpu=idle has=ipsec began=suddenly", "provider", False),
    ("slow=unlimited has=queues", "fasttrack-skips-limits", False),
    ("slow=unlimited has=queues rule=none", "queue-wrong", False),
    ("slow=unlimited has=queues rule=zero", "queue-wrong", False),
    ("slow=unlimited has=queues began=update", "update", False),
    ("slow=counters began=update", "update", False),
    ("slow=silent has=chr link=none", "virtual-card", False),
    ("slow=breaks when=load has=hotspot session-limit=no", "ppp-limit", False),
    ("slow=breaks has=wireguard passes=stops both-ways=no", "one-direction", False),
    ("slow=between-networks cpu=idle arrives=yes television=no", "multicast", False),
    ("slow=all has=wifi-test rates=yes mtu=no", "fragments", True),
    ("slow=all cpu=idle has=lte rates=yes link=yes direct=yes", "provider", False),
    ("slow=wifi-only rates=yes storm=no", "loop", False),
    ("slow=one-site has=ipv6 ipv4=no", "path-mtu-blocked", False),
    ("slow=one-site has=ipv6 ipv4=no mtu=yes", "ipv6-slow", False),
    ("slow=one-site near=no", "long-way", False),
    ("slow=one-site near=no began=certain-hours", "one-site", False),
    ("slow=through-vpn has=ipsec passes=one", "other-box", False),
    ("slow=breaks when=regular other-pc=no", "test-machine", False),
    ("slow=through-vpn has=ipsec passes=stops when=regular", "lifetime", False),
    ("slow=through-vpn has=wireguard passes=stops when=any", "idle-timeout", False),
    ("slow=through-vpn has=vpn passes=stops when=load connections=own", "connection-table", False),
    ("slow=silent began=certain-hours hops=beyond", "provider", False),
    ("slow=silent began=suddenly hops=own other-pc=no", "test-machine", False),
    ("slow=all cpu=idle fcs=yes direct=yes path=no rule=zero", "rule-missed", False),
    ("slow=breaks has=vpn mtu=no", "fragments", True),
    ("slow=breaks has=vpn mss=no", "fragments", False),
    ("slow=breaks waiting=no", "bufferbloat", False),
    ("slow=breaks direct=no", "provider", False),
    ("slow=breaks hops=own other-pc=no", "test-machine", False),
    ("slow=silent began=suddenly", "no-way", False),
    ("slow=silent began=suddenly hops=own log=nothing stays-up=yes", "power", False),
    ("slow=silent began=suddenly hops=own log=lease", "lifetime", False),
    ("slow=silent began=suddenly hops=beyond", "provider", False),
    ("slow=silent began=change stays-up=yes", "no-way", False),
    ("slow=silent began=change stays-up=restart", "power", False),
    ("slow=silent began=suddenly hops=own storm=no", "loop", False),
    ("slow=silent began=change has=wireguard way-out=no", "default-route-in-tunnel", False),
    ("slow=silent has=second-line both-lines=no", "marks", False),
    ("slow=silent has=second-line balance=no", "marks", False),
    ("slow=silent has=iptv television=no", "multicast", False),
    ("slow=silent link=none other-port=yes", "power", False),
    ("slow=silent link=none other-port=no", "bad-cable", False),
    ("slow=one-site mss=no", "fragments", False),
    ("slow=one-site began=update", "update", False),
    ("slow=through-vpn has=ipsec began=update", "update", False),
    ("slow=all cpu=idle began=new-line figures=slower-port link=yes", "slow-link", False),
    ("slow=one-site has=pppoe", "fragments", False),
    ("slow=one-site mtu=blocked", "path-mtu-blocked", True),
    ("slow=one-client jumbo=no", "l2mtu", True),
    ("slow=one-client has=hotspot", "ppp-limit", False),
    ("slow=one-client has=queues", "queue-limit", False),
    ("slow=one-port has=sfp module=yes", "short-queue", False),
    ("slow=one-port pause=no", "flow-control", True),
    ("slow=one-port stays-up=no", "power", False),
    ("slow=one-port stays-up=port", "bad-cable", False),
    ("slow=one-port same-chip=no", "port-outside-chip", True),
    ("slow=packets waiting=no has=queues", "bufferbloat", False),
    ("slow=packets waiting=no has=queues shaped=yes", "queue-wrong", False),
    ("slow=packets has=queues", "queue-wrong", False),
    ("slow=packets has=queues path=yes", "fasttrack-skips-limits", False),
    ("slow=packets waiting=no has=queues path=yes", "fasttrack-skips-limits", False),
    ("slow=all began=certain-hours has=lte", "radio", False),
    ("slow=through-vpn cpu=full test=no", "test-on-router", False),
    ("slow=through-vpn cpu=full has=container", "vpn-in-container", False),
    ("slow=through-vpn cpu=idle began=certain-hours", "provider", False),
    ("slow=through-vpn cpu=idle streams=no", "one-stream", False),
    ("slow=through-vpn cpu=idle direct=no", "provider", False),
    ("slow=through-vpn cpu=idle other-pc=no", "test-machine", False),
    ("slow=through-vpn cpu=idle far-end=no", "other-end", True),
    ("slow=through-vpn cpu=idle far-end=line", "other-end", True),
    ("slow=through-vpn cpu=idle has=vpn reach=no", "relay", True),
    ("slow=through-vpn cpu=idle mss=yes only-udp=no", "tunnel-udp-mtu", False),
    ("slow=through-vpn cpu=idle has=tunnel-l2", "fragments", False),
    ("slow=all has=vpn way-out=no", "default-route-in-tunnel", False),
    ("slow=all has=wireguard began=change", "default-route-in-tunnel", False),
    ("slow=between-networks cpu=full bridge=no hw=no", "hw-off", True),
    ("slow=between-networks cpu=full has=vlan same-chip=no", "port-outside-chip", True),
    ("slow=between-networks cpu=full bridge=yes", "port-outside-chip", False),
    ("slow=between-networks cpu=full has=several-bridges", "second-bridge", False),
    ("slow=between-networks cpu=full has=several-bridges vlans-in-bridge=no", "vlan-setup", False),
    ("slow=between-networks cpu=full has=switch-as-router", "offload-off", False),
    ("slow=between-networks cpu=full has=vlan began=change", "filtering-by-cpu", False),
    ("slow=between-networks cpu=full bridge-path=no", "bridge-closed", True),
    ("slow=between-networks cpu=idle lane=no", "full-uplink", True),
    ("slow=between-networks cpu=idle pause=no", "flow-control", True),
    ("slow=between-networks has=second-line", "accept-for-two-wans", False),
    ("slow=between-networks has=second-line local-marks=no", "accept-for-two-wans", True),
    ("slow=one-client has=several-bridges bridge=no", "second-bridge", False),
    ("slow=all cpu=full busy=dns began=suddenly", "attack", False),
    ("slow=all cpu=full l3hw-switch=yes has=bgp", "left-to-cpu", False),
    ("slow=all cpu=full has=container began=change", "other-task", False),
    ("slow=all cpu=full has=vlan began=change", "filtering-by-cpu", False),
    ("slow=all cpu=full frequency=no", "cpu-frequency", False),
    ("slow=all cpu=idle has=ppp-server", "ppp-limit", False),
    ("slow=all cpu=idle has=ppp-server session-limit=no", "ppp-limit", False),
    ("slow=all cpu=idle has=queues", "queue-limit", False),
    ("slow=all cpu=idle has=queues limit=yes tree-limit=no", "queue-limit", False),
    ("slow=all cpu=idle has=queues limit=yes tree-limit=yes", "provider", False),
    ("slow=all began=new-line has=queues", "queue-limit", False),
    ("slow=single-stream cpu=idle has=queues", "queue-limit", False),
    ("slow=all cpu=idle figures=slower-port", "slow-link", False),
    ("slow=all cpu=idle link=yes figures=slower-port", "provider", False),
    ("slow=all cpu=idle link=yes figures=slower-port pause=no", "flow-control", True),
    ("slow=all cpu=idle link=yes figures=slower-port port-limits=no", "port-limit", False),
    ("slow=one-client has=second-line both-lines=no", "marks", False),
    ("slow=one-port has=second-line both-lines=no balance=no", "marks", False),
    ("slow=one-port has=bonding,sfp", "bond-one-link", False),
    ("slow=one-port has=bonding streams=no", "bond-one-link", True),
    ("slow=all began=change has=tunnel-l2,vlan", "loop", False),
    ("slow=all cpu=full without-traffic=no", "other-task", False),
    ("slow=breaks revive=restart memory=no", "connection-table", False),
    ("slow=all began=change memory=no", "connection-table", False),
    ("slow=through-vpn has=wireguard passes=one", "allowed-address", False),
    ("slow=through-vpn has=wireguard passes=stops", "idle-timeout", False),
    ("slow=through-vpn has=wireguard passes=nothing", "no-way", False),
    ("slow=through-vpn has=vpn passes=fails", "other-end", False),
    ("slow=one-client has=wireguard passes=stops began=update", "update", False),
    ("log=loop", "loop", True),
    ("slow=all cpu=idle figures=near", "nothing-wrong", False),
    ("slow=all cpu=idle waiting=yes figures=near", "nothing-wrong", True),
    ("slow=all cpu=idle figures=bytes", "nothing-wrong", True),
    ("slow=all cpu=idle direct=yes began=new-device", "provider-mac", False),
    ("slow=all cpu=idle direct=yes began=new-device direction=upload", "slow-link", False),
    ("slow=all began=suddenly", "provider", False),
    ("slow=all cpu=idle began=suddenly stays-up=restart", "power", False),
    ("slow=all has=bgp", "routing-or-mpls", False),
    ("slow=all has=pppoe", "pppoe-one-core", False),
    ("slow=all has=sfp", "device-limit", False),
    ("slow=all cpu=idle has=sfp", "short-queue", False),
    ("slow=all has=vlan", "filtering-by-cpu", False),
    ("slow=one-client other-pc=server", "test-machine", False),
    ("slow=one-client other-pc=yes cpu=idle", "bad-cable", False),
    ("slow=one-client other-pc=yes other-port=no", "bad-cable", False),
    ("slow=one-client has=wireguard passes=one", "allowed-address", False),
    ("slow=one-client has=wireguard passes=stops", "idle-timeout", False),
    ("slow=one-client has=wireguard passes=yes", "test-machine", False),
    ("slow=packets hops=own storm=no", "loop", False),
    ("slow=packets hops=own", "bad-cable", False),
    ("slow=packets hops=own has=wifi-test", "radio", False),
    ("slow=packets waiting=yes", "provider", False),
    ("slow=all began=moved", "slow-link", False),
    ("slow=one-client has=iptv television=no", "multicast", False),
    ("slow=one-client calls=no", "no-way", False),
    ("slow=one-client calls=yes", "test-machine", False),
    ("slow=silent link=none began=suddenly", "power", False),
    ("slow=silent link=none", "bad-cable", False),
    ("slow=all cpu=idle direct=no other-pc=yes began=change", "other-box", False),
    ("slow=all cpu=idle direct=no other-pc=yes began=always", "provider", False),
    ("slow=one-port tools=no", "running-tool", False),
    ("slow=router test=no", "test-on-router", True),
    ("slow=wifi-only other-port=yes", "bad-cable", False),
    ("slow=through-vpn has=second-line,wireguard cpu=idle balance=no", "marks", False),
    ("slow=through-vpn has=wireguard,container mtu=no", "fragments", True),
    ("slow=breaks log=session has=bgp hops=beyond", "provider", False),
    ("slow=breaks log=session has=bgp", "lifetime", False),
    ("slow=breaks stays-up=sfp revive=itself", "power", False),
    ("slow=breaks stays-up=sfp", "bad-cable", False),
    ("slow=silent began=change has=vlan", "vlan-setup", False),
    ("slow=silent began=change has=vlan,wireguard", "no-way", False),
    ("slow=silent began=suddenly revive=box", "other-box", False),
    ("slow=single-stream cpu=idle full=yes", "short-queue", False),
    ("slow=single-stream cpu=idle full=yes near=yes", "one-stream", False),
    ("slow=unknown has=chr mtu=no", "fragments", True),
    ("slow=breaks when=any has=vpn way-out=no", "default-route-in-tunnel", False),
    ("slow=breaks has=vpn revive=tunnel", "idle-timeout", False),
    ("slow=between-networks television=no", "multicast", False),
    ("slow=through-vpn has=wireguard tunnel-fasttrack=no", "marks-and-fasttrack", True),
    ("slow=through-vpn has=vpn,ipsec tunnel-fasttrack=no", "ipsec-and-fasttrack", True),
    ("slow=between-networks cpu=idle both-ways=no", "one-direction", False),
    ("slow=all began=update has=lte", "update", False),
    ("slow=all began=update has=wifi-test", "update", False),
    ("slow=single-stream began=update", "update", False),
    ("slow=counters", "counters-of-ports", False),
    ("slow=counters counted=capture", "capture-twice", False),
    ("slow=counters counted=flows", "capture-twice", False),
    ("slow=counters counted=errors", "other-task", False),
    ("slow=counters counted=errors fcs=no", "bad-cable", True),
    ("slow=counters counted=errors drops=no", "short-queue", False),
    ("slow=silent", "no-way", False),
    ("slow=silent began=update", "update", False),
    ("slow=silent link=no", "slow-link", False),
    ("slow=silent link=none", "bad-cable", False),
    ("slow=silent link=no has=sfp", "slow-link", False),
    ("slow=silent link=no has=sfp module=no", "copper-module", False),
    ("slow=silent has=vpn", "no-way", False),
    ("slow=silent direct=no", "provider", False),
    ("slow=silent direct=yes", "no-way", False),
    ("slow=silent has=vpn mtu=no", "fragments", True),
    ("slow=router", "other-task", False),
    ("slow=router readers=no", "other-task", True),
    ("slow=router began=update", "update", False),
    ("slow=router cpu=full busy=management has=switch-as-router", "other-task", False),
    ("slow=router has=switch-as-router", "wrong-role", False),
    ("slow=router cpu=full memory=no", "connection-table", False),
    ("slow=router cpu=full busy=routing", "routing-or-mpls", True),
    ("slow=router cpu=full busy=dns strangers=no", "attack", True),
    ("slow=unasked", "other-task", False),
    ("slow=unasked readers=no", "other-task", True),
    ("slow=message", "attack", False),
    ("slow=message log=strangers", "attack", False),
    ("slow=message log=cache", "dns", False),
    ("slow=message log=loop", "loop", True),
    ("slow=message log=link other-port=yes", "bad-cable", False),
    ("slow=message log=link other-port=no other-pc=no", "test-machine", False),
    ("slow=message log=strangers readers=no", "other-task", True),
    ("slow=message log=session", "reconnecting", False),
    ("slow=message log=session reconnects=no", "reconnecting", False),
    ("slow=message log=session reconnects=yes", "provider", False),
    ("slow=silent has=lte log=session", "radio", False),
    ("slow=names names=no", "dns", False),
    ("slow=names", "dns", False),
    ("slow=names mtu=no", "fragments", True),
    ("slow=names cpu=full busy=dns strangers=no", "attack", True),
    ("slow=breaks began=update", "update", False),
    ("slow=breaks began=moved", "power", False),
    ("slow=breaks when=idle", "idle-timeout", False),
    ("slow=breaks when=regular", "lifetime", False),
    ("slow=breaks when=load cpu=idle waiting=no", "bufferbloat", False),
    ("slow=breaks when=load cpu=full", "device-limit", False),
    ("slow=breaks when=load", "bufferbloat", False),
    ("slow=breaks when=load hops=box", "other-box", False),
    ("slow=breaks when=regular hops=beyond has=", "provider", False),
    ("slow=breaks when=regular has=ipsec", "lifetime", False),
    ("slow=packets has=wifi-test rates=no", "radio", True),
    ("slow=packets hops=own began=update", "update", False),
    ("slow=silent began=certain-hours hops=box", "other-box", False),
    ("slow=silent hops=box", "other-box", False),
    ("slow=all began=update direct=no", "provider", False),
    ("slow=all began=update direct=no other-pc=no", "test-machine", False),
    ("slow=all began=new-line direct=yes figures=lower", "device-limit", False),
    ("slow=single-stream cpu=idle drops=no port-limits=yes", "short-queue", True),
    ("slow=breaks log=fault", "update", False),
    ("slow=breaks log=memory", "connection-table", False),
    ("slow=breaks log=lease", "lifetime", False),
    ("slow=breaks log=power", "power", False),
    ("slow=breaks log=loop", "loop", True),
    ("slow=breaks log=radio", "radio", False),
    ("slow=breaks log=session", "reconnecting", False),
    ("slow=breaks log=link", "bad-cable", False),
    ("slow=breaks log=link stays-up=port", "bad-cable", False),
    ("slow=breaks stays-up=restart", "power", False),
    ("slow=breaks stays-up=restart memory=no", "connection-table", False),
    ("slow=breaks stays-up=restart readers=no", "other-task", True),
    ("slow=breaks has=container container=no", "vpn-in-container", False),
    ("slow=breaks stays-up=restart cpu=full", "update", False),
    ("slow=breaks stays-up=sfp", "bad-cable", False),
    ("slow=breaks stays-up=sfp module=no", "copper-module", False),
    ("slow=breaks revive=tunnel", "idle-timeout", False),
    ("slow=breaks revive=box", "other-box", False),
    ("slow=breaks revive=restart", "update", False),
    ("slow=breaks revive=restart began=suddenly", "power", False),
    ("slow=breaks revive=restart connections=grows", "connection-table", True),
    ("slow=breaks has=wifi-test", "radio", False),
    ("slow=breaks has=pppoe reconnects=no", "reconnecting", False),
    ("slow=breaks has=second-line both-lines=no rule=none", "marks", True),
    ("slow=breaks hops=box", "other-box", False),
    ("slow=breaks hops=beyond", "provider", False),
    ("slow=breaks hops=own", "update", False),
    ("slow=breaks other-port=no", "bad-cable", False),
    ("slow=breaks storm=no", "loop", False),
    ("slow=breaks has=vlan", "update", False),
    ("slow=breaks hops=beyond direct=yes", "no-way", False),
    ("slow=breaks has=vlan hops=own storm=yes", "vlan-setup", False),
    ("slow=breaks has=vpn way-out=no", "default-route-in-tunnel", False),
    ("slow=breaks has=lte", "radio", False),
    ("slow=breaks has=lte rates=yes", "other-box", False),
    ("slow=breaks has=wireguard", "idle-timeout", False),
    ("slow=breaks began=suddenly", "provider", False),
    ("slow=breaks", "update", False),
    ("slow=breaks hops=own fcs=yes", "update", False),
    ("slow=breaks has=second-line", "marks", False),
    ("slow=breaks has=wireguard passes=stops", "idle-timeout", False),
    ("slow=breaks has=vpn log=session", "lifetime", False),
    ("slow=breaks has=pppoe log=session", "reconnecting", False),
    ("slow=breaks link=no", "bad-cable", False),
    ("slow=names has=ipv6 ipv4=no", "ipv6-slow", False),
    ("slow=one-site direct=no", "provider", False),
    ("slow=packets log=loop", "loop", True),
    ("slow=packets hops=own", "bad-cable", False),
    ("slow=packets hops=own connections=flood", "attack", True),
    ("slow=packets hops=own connections=own", "connection-table", True),
    ("slow=packets hops=box", "other-box", False),
    ("slow=one-client has=sfp near=no", "long-way", False),
    ("slow=one-site near=no", "long-way", False),
    ("slow=one-site both-ways=no", "one-direction", False),
    ("slow=single-stream cpu=idle near=no", "long-way", False),
    ("slow=one-client has=container stopped=no", "veth-in-bridge", False),
    ("slow=one-client has=container began=change", "veth-in-bridge", False),
    ("slow=all began=while-busy", "bufferbloat", False),
    ("slow=all began=while-busy full=no", "full-link", True),
    ("slow=all began=certain-hours full=no", "full-link", True),
    ("slow=through-vpn has=mesh-vpn", "relay", False),
    ("slow=through-vpn has=mesh-vpn reach=yes cpu=full busy=networking full=no", "full-link", True),
    ("slow=through-vpn has=ipsec other-cipher=no", "update", False),
    ("slow=through-vpn has=ipsec began=new-device", "ipsec-and-fasttrack", False),
    ("slow=through-vpn has=ipsec,tunnel-l2", "fragments", False),
    ("slow=unlimited has=ppp-server created=no", "queue-wrong", True),
    ("slow=all has=vpn began=update way-out=no", "update", False),
    ("slow=silent link=none stays-up=no", "power", False),
    ("slow=silent began=change old-mac=no", "provider-mac", True),
    ("slow=message strangers=no", "attack", True),
    ("slow=message strangers=yes", "nothing-left", False),
    ("slow=unasked strangers=no", "attack", True),
    ("slow=wifi-only has=hotspot session-limit=no", "ppp-limit", False),
    ("slow=wifi-only has=queues limit=no", "queue-limit", False),
    ("slow=wifi-only has=queues limit=yes", "radio", False),
    ("slow=breaks began=moved log=memory", "connection-table", False),
    ("slow=breaks when=regular stays-up=restart memory=no", "connection-table", False),
    ("slow=one-site has=ipv6 ipv4=no other-pc=server", "test-machine", False),
    ("slow=one-site has=pppoe near=no", "long-way", False),
    ("slow=one-site has=hotspot session-limit=no", "ppp-limit", False),
    ("slow=one-site has=queues shaped=yes began=change", "queue-wrong", False),
    ("slow=one-site has=queues shaped=no limit=no", "queue-limit", False),
    ("slow=through-vpn has=vpn,queues cpu=idle began=change shaped=yes", "queue-wrong", False),
    ("slow=through-vpn has=vpn,queues cpu=idle limit=no", "queue-limit", False),
    ("slow=through-vpn has=wireguard cpu=idle direction=upload", "other-end", False),
    ("slow=through-vpn has=wireguard cpu=idle direction=both mtu=yes", "provider", False),
    ("slow=between-networks has=queues limit=no", "queue-limit", False),
    ("slow=packets hops=own fcs=yes drops=no", "short-queue", False),
    ("slow=packets waiting=no hops=own cpu=full path=yes", "device-limit", False),
    ("slow=all began=certain-hours has=queues shaped=no", "bufferbloat", False),
    ("slow=all cpu=idle has=wifi-test rates=no", "radio", True),
    ("slow=all cpu=idle has=second-line,wifi-test balance=no", "marks", False),
    ("slow=all cpu=full has=ipv6 path=yes share=no ipv4=no", "ipv6-slow", False),
    ("slow=all cpu=full busy=bridging bridge=no vlan-filtering=no", "filtering-by-cpu", True),
    ("", "nothing-left", False),
]
"""As an expert leads somebody through, and what is left where nothing is wrong."""


def given(text: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in text.split())


@pytest.mark.parametrize(("answers", "cause", "settled"), PATHS)
def test_answers_lead_to_a_cause(answers: str, cause: str, settled: bool) -> None:
    known = given(answers)
    asked, end, sure = DIALOGUE.through(known)
    assert (end, sure) == (cause, settled)
    assert set(known) - {slow.FIGURE} <= set(asked)


def test_every_cause_is_reached_by_answers_or_a_symptom() -> None:
    reached = {cause for _, cause, _ in PATHS} | {symptom.to for symptom in DIALOGUE.symptoms}
    assert reached - {""} == {*DIALOGUE.ends}


@pytest.mark.parametrize(
    ("answers", "end", "offered"),
    [
        ({}, "", ["dns", "loop"]),
        ({}, "dns", ["loop", "marks"]),
        ({"has": "vlan,sfp"}, "", ["marks", "dns"]),
        ({"has": "sfp", "began": "change"}, "", ["loop", "dns"]),
        ({"has": "", "began": "unknown"}, "loop", ["dns", "marks"]),
        ({"names": "yes", "log": "nothing"}, "", ["loop", "marks"]),
        ({"names": "unknown"}, "", ["dns", "loop"]),
        ({"storm": "yes", "log": "unknown"}, "", ["dns", "loop"]),
        ({"storm": "yes", "log": "nothing"}, "", ["dns", "marks"]),
        ({"storm": "no", "log": "nothing"}, "", ["dns", "loop"]),
        ({"has": "vlan,queues"}, "", ["marks", "loop"]),
        ({"storm": "no", "log": "loop"}, "", ["dns", "loop"]),
    ],
)
def test_a_likely_end_offers_what_the_answers_speak_for(
    answers: dict[str, str], end: str, offered: list[str]
) -> None:
    signs = {"loop": {"prior": -12, "began.change": 8}, "marks": {"prior": -13, "has.vlan": 6},
             "dns": {"prior": -10, "has.queues": -6}}  # fmt: skip
    dialogue = DIALOGUE.model_copy(update={"signs": signs})
    assert dialogue.offers(answers, end) == offered


def test_signs_are_answers_and_causes_of_the_dialogue() -> None:
    assert {*DIALOGUE.signs} == {*DIALOGUE.ends} - {"nothing-left"}
    given = {f"{name}.{answer}" for name, question in DIALOGUE.asked.items()
             for answer in question.answers}  # fmt: skip
    named = {sign for points in DIALOGUE.signs.values() for sign in points} - {slow.PRIOR}
    assert len(named) > 100 and named <= given


ANSWERS = {name: ["", *question.answers, slow.UNKNOWN] for name, question in DIALOGUE.asked.items()}


@given_random(st.fixed_dictionaries({n: st.sampled_from(v) for n, v in ANSWERS.items()}))
def test_every_walk_ends_and_asks_nothing_twice(answers: dict[str, str]) -> None:
    asked, end, _ = DIALOGUE.through({name: value for name, value in answers.items() if value})
    assert len(asked) == len(set(asked)) and end in DIALOGUE.ends


def test_no_line_of_the_walk_is_hidden_by_those_above_it() -> None:
    chance = random.Random(1)
    never = []
    for number, line in enumerate(DIALOGUE.walk, 1):
        wanted = {name: value.split(",") for name, value in line.when.items() if value[0] != "!"}
        for _ in range(2000):
            answers = {name: chance.choice(options) for name, options in ANSWERS.items()
                       if chance.random() < 0.2}  # fmt: skip
            answers |= {name: chance.choice(options) for name, options in wanted.items()}
            if line.ask:
                answers.pop(line.ask, None)
            if DIALOGUE.line(dict.fromkeys(DIALOGUE.asked, slow.UNKNOWN) | answers) is line or (
                line.ask and DIALOGUE.line(without(line.ask, answers)) is line
            ):
                break
        else:
            never.append(number)
    assert never == []


def without(name: str, answers: dict[str, str]) -> dict[str, str]:
    """The answers, with "I don't know" for all questions but this one, which has none."""
    every = dict.fromkeys(DIALOGUE.asked, slow.UNKNOWN) | answers
    return {other: value for other, value in every.items() if other != name}


@pytest.mark.parametrize(
    ("commands", "old", "new"),
    [
        ("/a b\n", "/a b", "/a b"),
        ("# in RouterOS 6: kind=sfq\nadd kind=fq-codel name=q\nset x", "add kind=sfq name=q\nset x",
         "add kind=fq-codel name=q\nset x"),
        ("# in RouterOS 6, as often: /c d\n/a kind=b\n/e", "/c d\n/e", "/a kind=b\n/e"),
        ("# a comment\n/a", "# a comment\n/a", "# a comment\n/a"),
    ],
)  # fmt: skip
def test_commands_are_those_of_a_version(commands: str, old: str, new: str) -> None:
    cause = DIALOGUE.causes[0].model_copy(update={"commands": commands})
    assert (cause.of_version(6), cause.of_version(7)) == (old, new)


@pytest.mark.parametrize("cause", DIALOGUE.causes, ids=lambda cause: cause.id)
def test_every_remedy_is_of_routeros_and_leads_to_chapters(cause: slow.Cause) -> None:
    assert lint.check(cause.id, cause.of_version(7), hardware=True, in_passing=True) == []
    assert cause.commands.strip() and cause.loses
    for chapter in cause.chapters:
        assert (ROOT / "book" / chapter).is_file(), chapter


def test_rps_is_never_the_answer_before_the_busy_task_is_known() -> None:
    asked, end, _ = DIALOGUE.through(given("slow=all cpu=one-core-full interrupts=no"))
    assert end == "one-interrupt" and asked.index("busy") < asked.index("interrupts")


@pytest.mark.parametrize("symptom", DIALOGUE.symptoms, ids=lambda symptom: symptom.asks)
def test_a_symptom_leaves_something_to_ask_or_is_a_cause(symptom: slow.Symptom) -> None:
    if symptom.to:
        assert not symptom.answers
    elif symptom.answers != {"slow": "wifi-only"}:
        assert DIALOGUE.follows(symptom.answers)[0] in DIALOGUE.asked


def test_commands_are_written_as_routeros_6_and_7_both_take_them() -> None:
    texts = [q.command for q in DIALOGUE.questions] + [c.commands for c in DIALOGUE.causes]
    lines = [line for text in texts for line in text.splitlines() if line.startswith("/")]
    assert len(lines) > 80
    assert [line for line in lines if "/" in line.split(" [")[0].split("=")[0][1:]] == []


def test_every_command_is_one_of_routeros() -> None:
    lines = [question.command for question in DIALOGUE.questions] + at_once(DIALOGUE)
    text = "".join(f"{line}\n" for line in lines)
    assert lint.check("slow.yml", text, hardware=True, in_passing=True) == []


def test_the_one_paste_waits_for_no_key() -> None:
    *before, last = at_once(DIALOGUE)
    assert last.startswith("/tool profile") and "duration=" in last
    assert len(before) > 15
    for line in before:
        assert "count-only" in line or "without-paging" in line or line.endswith(" once")


@pytest.mark.parametrize(
    ('old', 'new'),
    [
        ("likely: hidden-condition", "likely: hidden"),
        ("      one-core-full:\n", "      one-full:\n"),
        ("zero, to: counters-of-ports}", "zero, to: l3hw}"),
        ("{ask: streams}", "{ask: stream}"),
        ("  - {likely: nothing-left}", "  - {ask: names}"),
        ("- id: fragments", "- id: mtu"),
        ("answer: fast\n", "answer: quick\n"),
        ("[watchdog, fault]", "[watchdog, broken]"),
        ("{if: {cpu: full}, ask: tools}", "{if: {cpu: full}, ask: tools, likely: radio}"),
    ],
)  # fmt: skip
def test_a_dialogue_that_leads_nowhere_is_an_error(tmp_path: Path, old: str, new: str) -> None:
    text = (ROOT / slow.FILE).read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "slow.yml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(FileError):
        slow.load(path)
