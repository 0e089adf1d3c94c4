# 2026-11-20 10:00:00 by RouterOS 7.19.4
# model = CRS317-1G-16S+
/interface bridge
add name=bridge1 vlan-filtering=yes
/interface ethernet switch
set 0 l3-hw-offloading=yes
/interface vlan
add interface=bridge1 name=v10 vlan-id=10
add interface=bridge1 name=v20 vlan-id=20
/interface bridge port
add bridge=bridge1 interface=sfp-sfpplus1 pvid=10
add bridge=bridge1 interface=sfp-sfpplus2 pvid=20
/interface bridge vlan
add bridge=bridge1 tagged=bridge1 untagged=sfp-sfpplus1 vlan-ids=10
add bridge=bridge1 tagged=bridge1 untagged=sfp-sfpplus2 vlan-ids=20
/ip address
add address=10.10.0.1/24 interface=v10
add address=10.20.0.1/24 interface=v20
