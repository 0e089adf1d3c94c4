# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CCR2116-12G-4S+
# A router of a transit network: BGP, tracking off by hand, raw rules.
/ip firewall connection tracking
set enabled=no
/ip address
add address=198.51.100.2/30 interface=sfp-sfpplus1
add address=203.0.113.1/30 interface=sfp-sfpplus2
add address=198.18.0.1/24 interface=ether1
/ip firewall raw
add action=drop chain=prerouting in-interface=sfp-sfpplus1 src-address=10.0.0.0/8
add action=drop chain=prerouting dst-address=198.51.100.2 dst-port=22 in-interface=sfp-sfpplus1 protocol=tcp
/routing bgp connection
add as=64500 local.role=ebgp name=upstream remote.address=198.51.100.1/32 .as=64501
add as=64500 local.role=ebgp name=peer remote.address=203.0.113.2/32 .as=64502
