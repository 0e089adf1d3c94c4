# 2026-11-20 10:00:00 by RouterOS 7.17
# model = CCR2004-16G-2S+
/queue type
add kind=pcq name=down pcq-classifier=dst-address pcq-rate=20M
add kind=pcq name=up pcq-classifier=src-address pcq-rate=5M
/queue simple
add max-limit=50M/200M name=customer-1 target=10.1.0.2/32
add max-limit=50M/200M name=customer-2 target=10.1.0.3/32
add max-limit=900M/900M name=rest queue=up/down target=10.1.0.0/24
/ip address
add address=10.1.0.1/24 interface=ether2
add address=198.51.100.2/30 interface=sfp-sfpplus1
/ip route
add gateway=198.51.100.1
/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related
/ip firewall nat
add action=masquerade chain=srcnat out-interface=sfp-sfpplus1
