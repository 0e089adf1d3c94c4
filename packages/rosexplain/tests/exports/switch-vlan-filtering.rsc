# 2026-11-20 10:00:00 by RouterOS 7.19.4
# model = CRS326-24G-2S+
/interface bridge
add name=bridge1 vlan-filtering=yes
/interface vlan
add interface=bridge1 name=mgmt vlan-id=99
/interface bridge port
add bridge=bridge1 interface=ether1 pvid=10
add bridge=bridge1 interface=ether2 pvid=20
add bridge=bridge1 interface=sfp-sfpplus1
/interface bridge vlan
add bridge=bridge1 tagged=sfp-sfpplus1 untagged=ether1 vlan-ids=10
add bridge=bridge1 tagged=sfp-sfpplus1 untagged=ether2 vlan-ids=20
add bridge=bridge1 tagged=bridge1,sfp-sfpplus1 vlan-ids=99
/ip address
add address=10.99.0.2/24 interface=mgmt
/ip route
add gateway=10.99.0.1
