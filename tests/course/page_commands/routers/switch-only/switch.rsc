# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CRS326-24G-2S+
# A switch that routes between two networks of ports; one host may not reach the database.
/interface ethernet switch
set 0 l3-hw-offloading=no
/ip address
add address=198.18.1.1/24 interface=ether1
add address=198.18.2.1/24 interface=ether4
add address=198.19.1.1/24 interface=ether5
add address=192.0.2.2/24 interface=sfp-sfpplus1
/ip route
add dst-address=0.0.0.0/0 gateway=192.0.2.1
add dst-address=198.51.100.0/24 gateway=198.18.1.2
/ip firewall filter
add action=accept chain=forward connection-state=established,related
add action=drop chain=forward connection-state=new in-interface=sfp-sfpplus1
