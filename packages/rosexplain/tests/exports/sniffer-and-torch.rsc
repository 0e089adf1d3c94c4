# 2026-11-20 10:00:00 by RouterOS 7.20
# model = RB450Gx4
/tool sniffer
set filter-interface=ether1 streaming-enabled=yes streaming-server=192.0.2.9
/ip traffic-flow
set enabled=yes interfaces=ether1
/ip traffic-flow target
add dst-address=192.0.2.9
/interface ethernet
set [ find default-name=ether1 ] rx-flow-control=on
/ip address
add address=10.1.0.1/24 interface=ether1
add address=10.2.0.1/24 interface=ether2
