# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CCR2216-1G-12XS-2XQ
/ip pool
add name=customers ranges=100.64.0.2-100.64.255.254
/ppp profile
add local-address=100.64.0.1 name=customers rate-limit=50M/200M remote-address=customers
/interface pppoe-server server
add default-profile=customers disabled=no interface=sfp28-2 service-name=isp
/ip address
add address=198.51.100.2/30 interface=sfp28-1
/ip route
add gateway=198.51.100.1
/ip firewall nat
add action=masquerade chain=srcnat out-interface=sfp28-1
