# 2026-11-20 10:00:00 by RouterOS 7.20
# model = CRS112-8G-4S
/interface bridge
add name=bridge1
add name=bridge2
/interface bridge port
add bridge=bridge1 interface=ether1
add bridge=bridge1 interface=ether2
add bridge=bridge2 interface=ether3
add bridge=bridge2 interface=ether4
/ip address
add address=10.0.1.1/24 interface=bridge1
add address=10.0.2.1/24 interface=bridge2
