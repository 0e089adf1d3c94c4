# 2026-11-20 10:00:00 by RouterOS 7.19
# model = L009UiGS
/interface bridge
add name=bridge
/interface bridge port
add bridge=bridge interface=ether2
/ip address
add address=10.0.0.1/24 interface=bridge
add address=198.51.100.2/30 interface=ether1
/ip route
add gateway=198.51.100.1
/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=established,related connection-mark=no-mark
add action=accept chain=forward connection-state=established,related,untracked
add action=accept chain=forward connection-nat-state=dstnat
add action=drop chain=forward in-interface=ether1
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
add action=dst-nat chain=dstnat dst-address=198.51.100.2 dst-port=443 protocol=tcp to-addresses=10.0.0.10
add action=dst-nat chain=dstnat dst-address=198.51.100.2 dst-port=51820 protocol=udp to-addresses=10.0.0.11 to-ports=51821
add action=masquerade chain=srcnat dst-address=10.0.0.10 src-address=10.0.0.0/24
