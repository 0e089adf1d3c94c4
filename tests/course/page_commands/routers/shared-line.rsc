# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB5009UG+S+
# A line with FastTrack: bridge1, no queue yet, a second network and remote offices by L2TP and EoIP.
/interface bridge
add name=bridge1
/interface bonding
add mode=802.3ad name=bond1 slaves=ether7,ether8
/interface eoip
add name=eoip1 remote-address=203.0.113.9 tunnel-id=1
/interface l2tp-client
add connect-to=203.0.113.9 disabled=no name=l2tp-out1 use-ipsec=yes user=example
/interface list
add name=WAN
add name=LAN
/interface bridge port
add bridge=bridge1 interface=ether2
add bridge=bridge1 hw=no interface=ether3
add bridge=bridge1 interface=eoip1
/interface list member
add interface=bridge1 list=LAN
add interface=bond1 list=LAN
add interface=ether1 list=WAN
/ip address
add address=192.168.10.1/24 interface=bridge1
add address=192.168.88.1/24 interface=bridge1
add address=10.50.0.1/24 interface=bond1
add address=198.51.100.2/30 interface=ether1
/ip route
add dst-address=0.0.0.0/0 gateway=198.51.100.1
/ip firewall filter
add action=accept chain=input connection-state=established,related,untracked
add action=accept chain=input in-interface-list=LAN
add action=accept chain=input protocol=gre src-address=203.0.113.9
add action=drop chain=input
add action=drop chain=forward src-address=192.168.10.66
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related,untracked
add action=drop chain=forward connection-state=invalid
add action=drop chain=forward connection-nat-state=!dstnat connection-state=new in-interface-list=WAN
add action=drop chain=forward in-interface=bond1 out-interface=bridge1
/ip firewall nat
add action=masquerade chain=srcnat out-interface-list=WAN
