# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CCR2004-1G-12S+2XS
/interface bridge
add name=loopback
/ip address
add address=10.255.0.1/32 interface=loopback
add address=10.0.0.1/30 interface=sfp-sfpplus1
add address=10.0.1.1/30 interface=sfp-sfpplus2
/mpls interface
add interface=sfp-sfpplus1
add interface=sfp-sfpplus2
/mpls ldp
add lsr-id=10.255.0.1
/mpls ldp interface
add interface=sfp-sfpplus1
add interface=sfp-sfpplus2
