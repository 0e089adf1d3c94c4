# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB5009UG+S+
# An office whose WireGuard tunnel is up, and whose firewall drops what it does not name.
/interface bridge
add name=bridge
/interface wireguard
add listen-port=13231 mtu=1420 name=wg1
/interface list
add name=WAN
add name=LAN
/interface bridge port
add bridge=bridge interface=ether2
/interface wireguard peers
add allowed-address=10.255.255.2/32,10.1.101.0/24 endpoint-address=203.0.113.9 endpoint-port=13231 interface=wg1
/interface list member
add interface=bridge list=LAN
add interface=ether1 list=WAN
/ip address
add address=10.1.202.1/24 interface=bridge
add address=10.255.255.1/30 interface=wg1
add address=198.51.100.2/30 interface=ether1
/ip route
add dst-address=0.0.0.0/0 gateway=198.51.100.1
add dst-address=10.1.101.0/24 gateway=wg1
/ip firewall filter
add action=accept chain=input connection-state=established,related
add action=accept chain=input dst-port=13231 protocol=udp src-address=203.0.113.9
add action=accept chain=input in-interface-list=LAN
add action=drop chain=input
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related
add action=accept chain=forward in-interface-list=LAN
add action=drop chain=forward
/ip firewall nat
add action=masquerade chain=srcnat out-interface-list=WAN
