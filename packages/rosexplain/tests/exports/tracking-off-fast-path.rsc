# 2026-11-20 10:00:00 by RouterOS 7.20
# model = CHR
/ip firewall connection tracking
set enabled=no
/ip address
add address=10.1.0.1/24 interface=ether1
add address=10.2.0.1/24 interface=ether2
