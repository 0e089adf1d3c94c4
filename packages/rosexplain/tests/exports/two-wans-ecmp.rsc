# 2026-11-20 10:00:00 by RouterOS 7.20
# model = RB5009UG+S+
/ip address
add address=192.168.88.1/24 interface=ether3
add address=198.51.100.2/30 interface=ether1
add address=203.0.113.2/30 interface=ether2
/ip settings
set ipv4-multipath-hash-policy=l4
/ip route
add gateway=198.51.100.1
add gateway=203.0.113.1
/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
add action=masquerade chain=srcnat out-interface=ether2
