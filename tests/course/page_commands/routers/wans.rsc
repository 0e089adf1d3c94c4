# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB5009UG+S+
# The office of the chapter on two WANs; one host takes a VPN.
/interface bridge
add name=bridge
/interface wireguard
add listen-port=51820 name=vpn
/interface list
add name=WAN
add name=LAN
/routing table
add disabled=no fib name=to-isp2
add disabled=no fib name=to-vpn
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
add address=10.9.0.2/24 interface=vpn
/ip firewall filter
add action=accept chain=input connection-state=established,related,untracked
add action=drop chain=input in-interface-list=!LAN
add action=accept chain=forward connection-mark=vpn connection-state=established,related
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related,untracked
add action=drop chain=forward connection-state=invalid
add action=drop chain=forward connection-nat-state=!dstnat connection-state=new in-interface-list=WAN
/ip firewall mangle
add action=mark-connection chain=prerouting connection-mark=no-mark dst-address-type=!local in-interface=bridge new-connection-mark=vpn passthrough=yes src-address=192.168.88.30
add action=mark-routing chain=prerouting connection-mark=vpn in-interface=bridge new-routing-mark=to-vpn passthrough=no
add action=mark-connection chain=prerouting connection-mark=no-mark dst-address-type=!local in-interface=bridge new-connection-mark=isp2 passthrough=yes src-address=192.168.88.128/25
add action=mark-routing chain=prerouting connection-mark=isp2 in-interface=bridge new-routing-mark=to-isp2 passthrough=no
/ip firewall nat
add action=masquerade chain=srcnat out-interface-list=WAN
add action=masquerade chain=srcnat out-interface=vpn
/ip route
add dst-address=0.0.0.0/0 gateway=198.51.100.1 check-gateway=ping
add dst-address=0.0.0.0/0 gateway=203.0.113.1 routing-table=to-isp2
add dst-address=0.0.0.0/0 gateway=10.9.0.1 routing-table=to-vpn
