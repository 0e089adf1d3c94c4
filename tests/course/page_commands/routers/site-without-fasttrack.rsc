# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB4011iGS+
# Two sites by IPsec, without FastTrack.
/interface bridge
add name=bridge
add name=guests
/interface list
add name=WAN
add name=LAN
/interface bridge port
add bridge=bridge interface=ether2
add bridge=bridge interface=ether3
add bridge=guests interface=ether5
/interface list member
add interface=bridge list=LAN
add interface=ether1 list=WAN
/ip address
add address=10.1.202.1/24 interface=bridge
add address=10.1.203.1/24 interface=guests
add address=198.51.100.2/30 interface=ether1
/ip route
add dst-address=0.0.0.0/0 gateway=198.51.100.1
/ip ipsec profile
add name=site
/ip ipsec peer
add address=203.0.113.9/32 name=site profile=site
/ip ipsec proposal
set [ find default=yes ] enc-algorithms=aes-256-gcm
/ip ipsec policy
add dst-address=10.1.101.0/24 peer=site src-address=10.1.202.0/24 tunnel=yes
/interface l2tp-server server
set enabled=yes ipsec-secret=example use-ipsec=required
/ip firewall filter
add action=accept chain=input connection-state=established,related
add action=accept chain=input protocol=icmp
add action=accept chain=input in-interface-list=LAN
add action=drop chain=input
add action=accept chain=forward connection-state=established,related
add action=drop chain=forward connection-state=invalid
add action=accept chain=forward in-interface-list=LAN out-interface-list=WAN
add action=accept chain=forward in-interface=guests out-interface-list=WAN
add action=drop chain=forward
/ip firewall nat
add action=accept chain=srcnat dst-address=10.1.101.0/24 src-address=10.1.202.0/24
add action=masquerade chain=srcnat out-interface-list=WAN
