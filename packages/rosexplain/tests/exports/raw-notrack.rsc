# 2026-11-20 10:00:00 by RouterOS 7.20
# model = CCR2116-12G-4S+
/ip address
add address=10.1.0.1/24 interface=sfp-sfpplus1
add address=10.2.0.1/24 interface=sfp-sfpplus2
/ip firewall raw
add action=notrack chain=prerouting src-address=10.1.0.0/24
add action=notrack chain=prerouting src-address=10.2.0.0/24
add action=drop chain=prerouting src-address-list=blocked
/ip firewall address-list
add address=192.0.2.0/24 list=blocked
/ip firewall filter
add action=accept chain=forward connection-state=established,related,untracked
add action=drop chain=forward connection-state=invalid
