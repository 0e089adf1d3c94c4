# 2026-11-20 10:00:00 by RouterOS 7.20
# model = CCR2004-1G-12S+2XS
/interface bonding
add mode=802.3ad name=bond1 slaves=sfp-sfpplus1,sfp-sfpplus2 transmit-hash-policy=layer-3-and-4
/interface vlan
add interface=bond1 name=v10 vlan-id=10
add interface=bond1 name=v20 vlan-id=20
/ip address
add address=10.10.0.1/24 interface=v10
add address=10.20.0.1/24 interface=v20
/ip settings
set allow-fast-path=yes
/ip firewall connection tracking
set enabled=no
