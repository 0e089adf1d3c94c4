# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB5009UG+S+
# Two WANs before PCC: addresses and masquerade, no default route.
/interface bridge
add name=bridge
/interface list
add name=WAN
add name=LAN
/interface bridge port
add bridge=bridge interface=ether3
add bridge=bridge interface=ether4
/interface list member
add interface=bridge list=LAN
add interface=ether1 list=WAN
add interface=ether2 list=WAN
/ip address
add address=192.168.88.1/24 interface=bridge
add address=198.51.100.2/30 interface=ether1
add address=203.0.113.2/30 interface=ether2
/ip firewall filter
add action=accept chain=input connection-state=established,related,untracked
add action=drop chain=input in-interface-list=!LAN
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related,untracked
add action=drop chain=forward connection-state=invalid
add action=drop chain=forward connection-nat-state=!dstnat connection-state=new in-interface-list=WAN
/ip firewall nat
add action=masquerade chain=srcnat out-interface-list=WAN
