# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB5009UG+S+
# A PPPoE line with a fixed address, a second uplink, IPsec, VPN users and a hairpin.
/interface bridge
add name=bridge1
/interface pppoe-client
add add-default-route=yes disabled=no interface=ether1 name=pppoe-out1 user=example
/interface wireguard
add listen-port=51820 name=users
/interface list
add name=WAN
add name=LAN
/interface bridge port
add bridge=bridge1 interface=ether3
add bridge=bridge1 interface=ether4
/interface list member
add interface=bridge1 list=LAN
add interface=pppoe-out1 list=WAN
add interface=ether2 list=WAN
/ip address
add address=192.168.10.1/24 interface=bridge1
add address=203.0.113.2/30 interface=ether2
add address=10.9.0.1/24 interface=users
/ip route
add distance=2 dst-address=0.0.0.0/0 gateway=203.0.113.1
/ip ipsec peer
add address=203.0.113.9/32 name=site
/ip ipsec policy
add dst-address=10.1.101.0/24 peer=site src-address=192.168.10.0/24 tunnel=yes
/ip firewall filter
add action=accept chain=input connection-state=established,related,untracked
add action=drop chain=input connection-state=invalid
add action=accept chain=input protocol=icmp
add action=accept chain=input dst-port=51820 protocol=udp
add action=drop chain=input in-interface-list=!LAN
add action=accept chain=forward ipsec-policy=in,ipsec
add action=accept chain=forward ipsec-policy=out,ipsec
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related,untracked
add action=drop chain=forward connection-state=invalid
add action=drop chain=forward connection-nat-state=!dstnat connection-state=new in-interface-list=WAN
/ip firewall nat
add action=masquerade chain=srcnat ipsec-policy=out,none out-interface=pppoe-out1
add action=masquerade chain=srcnat ipsec-policy=out,none out-interface=ether2
add action=masquerade chain=srcnat dst-address=192.168.10.0/24 src-address=192.168.10.0/24
add action=dst-nat chain=dstnat dst-address=198.51.100.7 dst-port=443 protocol=tcp to-addresses=192.168.10.20
