# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CHR
# A CHR on a bench: addresses, no rules.
/ip address
add address=198.18.1.1/24 interface=ether2
add address=198.18.2.1/24 interface=ether3
add address=192.0.2.2/24 interface=ether1
