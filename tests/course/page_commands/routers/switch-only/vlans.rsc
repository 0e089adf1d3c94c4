# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB3011UiAS
# Two VLANs that the bridge filters, and a firewall between them.
/interface bridge
add name=bridge vlan-filtering=yes
/interface ethernet switch port
set [ find name=ether2 ] vlan-mode=disabled
set [ find name=ether4 ] vlan-mode=disabled
set [ find name=switch1-cpu ] vlan-mode=disabled
/interface vlan
add interface=bridge name=office vlan-id=10
add interface=bridge name=cameras vlan-id=20
/interface bridge port
add bridge=bridge interface=ether2 pvid=10
add bridge=bridge interface=ether3 pvid=10
add bridge=bridge interface=ether4 pvid=20
add bridge=bridge interface=ether5 pvid=20
/interface bridge vlan
add bridge=bridge tagged=bridge untagged=ether2,ether3 vlan-ids=10
add bridge=bridge tagged=bridge untagged=ether4,ether5 vlan-ids=20
/ip address
add address=192.168.10.1/24 interface=office
add address=192.168.20.1/24 interface=cameras
/ip dhcp-client
add interface=ether1
/ip firewall filter
add action=accept chain=input connection-state=established,related
add action=accept chain=input in-interface=office
add action=drop chain=input
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related
add action=drop chain=forward in-interface=cameras
add action=drop chain=forward connection-nat-state=!dstnat connection-state=new in-interface=ether1
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
