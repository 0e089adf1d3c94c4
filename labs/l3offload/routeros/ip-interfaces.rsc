# The addresses on VLAN interfaces of the one hardware bridge, as a switch has them.
# Not yet confirmed on a real switch; checked offline against RouterOS 7.21's own command tree.
/interface/bridge
add name=bridge1 vlan-filtering=yes
/interface/bridge/port
add bridge=bridge1 interface=p1 pvid=10
add bridge=bridge1 interface=p2 pvid=20
/interface/bridge/vlan
add bridge=bridge1 tagged=bridge1 untagged=p1 vlan-ids=10
add bridge=bridge1 tagged=bridge1 untagged=p2 vlan-ids=20
/interface/vlan
add name=ip1 interface=bridge1 vlan-id=10
add name=ip2 interface=bridge1 vlan-id=20
/ip/address
set [find where interface=p1] interface=ip1
set [find where interface=p2] interface=ip2
/ip/arp
set [find where interface=p1] interface=ip1
set [find where interface=p2] interface=ip2
