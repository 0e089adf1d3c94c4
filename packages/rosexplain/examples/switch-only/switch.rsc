# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CRS326-24G-2S+
/interface bridge
add name=bridge vlan-filtering=yes
/interface vlan
add interface=bridge name=vlan10 vlan-id=10
add interface=ether20 name=vlan20 vlan-id=20
/interface bridge port
add bridge=bridge interface=ether1 pvid=10
add bridge=bridge interface=ether2 pvid=10
/interface bridge vlan
add bridge=bridge tagged=bridge vlan-ids=10
/interface ethernet switch
set 0 l3-hw-offloading=yes
/ip address
add address=192.168.10.1/24 interface=vlan10
add address=192.168.20.1/24 interface=vlan20
/ip firewall filter
add action=drop chain=forward src-address=192.168.10.0/24 dst-address=\
    192.168.20.0/24
