# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CCR2116-12G-4S+
/interface gre
add local-address=198.51.100.2 name=gre1 remote-address=203.0.113.9
/interface ipip
add local-address=198.51.100.2 name=ipip1 remote-address=203.0.113.10
/interface vxlan
add name=vxlan1 port=4789 vni=100 vteps-ip-version=ipv4
/interface vxlan vteps
add interface=vxlan1 remote-ip=203.0.113.11
/ip address
add address=198.51.100.2/30 interface=ether1
add address=10.10.0.1/30 interface=gre1
add address=10.11.0.1/30 interface=ipip1
add address=10.12.0.1/24 interface=vxlan1
add address=10.0.0.1/24 interface=ether2
/ip route
add gateway=198.51.100.1
add dst-address=10.20.0.0/16 gateway=10.10.0.2
