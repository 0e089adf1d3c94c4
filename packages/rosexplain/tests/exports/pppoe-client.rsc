# 2026-11-20 10:00:00 by RouterOS 7.16.2
# model = RB750Gr3
/interface bridge
add name=bridge
/interface vlan
add interface=ether1 name=vlan7 vlan-id=7
/interface pppoe-client
add add-default-route=yes disabled=no interface=vlan7 name=pppoe-out1 user=somebody@example.net
/interface list
add name=WAN
/interface list member
add interface=pppoe-out1 list=WAN
/interface bridge port
add bridge=bridge interface=ether2
add bridge=bridge interface=ether3
/ip address
add address=192.168.88.1/24 interface=bridge
/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related
add action=drop chain=forward connection-state=invalid
/ip firewall mangle
add action=change-mss chain=forward new-mss=clamp-to-pmtu out-interface=pppoe-out1 passthrough=yes protocol=tcp tcp-flags=syn
/ip firewall nat
add action=masquerade chain=srcnat out-interface-list=WAN
