# 2026-11-20 10:00:00 by RouterOS 7.18.2
# model = RB4011iGS+
/routing table
add disabled=no fib name=to-isp1
add disabled=no fib name=to-isp2
/ip address
add address=192.168.88.1/24 interface=ether3
add address=198.51.100.2/30 interface=ether1
add address=203.0.113.2/30 interface=ether2
/ip route
add gateway=198.51.100.1 distance=1
add gateway=203.0.113.1 distance=2
add gateway=198.51.100.1 routing-table=to-isp1
add gateway=203.0.113.1 routing-table=to-isp2
/ip firewall mangle
add action=mark-connection chain=prerouting connection-mark=no-mark in-interface=ether1 new-connection-mark=isp1
add action=mark-connection chain=prerouting connection-mark=no-mark in-interface=ether2 new-connection-mark=isp2
add action=mark-connection chain=prerouting connection-mark=no-mark dst-address-type=!local in-interface=ether3 new-connection-mark=isp1 per-connection-classifier=both-addresses:2/0
add action=mark-connection chain=prerouting connection-mark=no-mark dst-address-type=!local in-interface=ether3 new-connection-mark=isp2 per-connection-classifier=both-addresses:2/1
add action=mark-routing chain=prerouting connection-mark=isp1 in-interface=ether3 new-routing-mark=to-isp1
add action=mark-routing chain=prerouting connection-mark=isp2 in-interface=ether3 new-routing-mark=to-isp2
add action=mark-routing chain=output connection-mark=isp1 new-routing-mark=to-isp1
add action=mark-routing chain=output connection-mark=isp2 new-routing-mark=to-isp2
/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
add action=masquerade chain=srcnat out-interface=ether2
