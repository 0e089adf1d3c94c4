# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CCR2004-16G-2S+
# A provider: customers with simple queues and by PPPoE, a tree in global for phones.
/interface bridge
add name=bridge1
/interface list
add name=WAN
/interface bridge port
add bridge=bridge1 interface=ether3
add bridge=bridge1 interface=ether4
/interface list member
add interface=ether1 list=WAN
/ip pool
add name=pppoe ranges=100.64.21.2-100.64.21.200
/ppp profile
add change-tcp-mss=yes local-address=100.64.21.1 name=plan-200 rate-limit=40M/200M remote-address=pppoe
/interface pppoe-server server
add default-profile=plan-200 disabled=no interface=ether5 service-name=customers
/ip address
add address=192.168.10.1/24 interface=bridge1
add address=100.64.20.1/24 interface=bridge1
add address=198.51.100.2/30 interface=ether1
/ip route
add dst-address=0.0.0.0/0 gateway=198.51.100.1
/queue tree
add max-limit=50M name=phones packet-mark=voice parent=global
/queue simple
add max-limit=6M/30M name=c1 target=192.168.10.11/32
add max-limit=6M/30M name=c2 target=192.168.10.12/32
add max-limit=50M/50M name=office target=192.168.10.128/25
add max-limit=5M/20M name=c3 target=100.64.20.20/32
/ip firewall filter
add action=accept chain=input connection-state=established,related
add action=accept chain=input in-interface-list=!WAN
add action=drop chain=input
add action=accept chain=forward connection-state=established,related
add action=drop chain=forward connection-state=invalid
add action=drop chain=forward connection-nat-state=!dstnat connection-state=new in-interface-list=WAN
/ip firewall mangle
add action=mark-packet chain=forward dscp=46 new-packet-mark=voice passthrough=no
/ip firewall nat
add action=masquerade chain=srcnat out-interface-list=WAN
