# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB1100Dx4
/ip ipsec profile
add dh-group=modp2048 enc-algorithm=aes-256 name=p1
/ip ipsec peer
add address=203.0.113.9/32 name=branch profile=p1
/ip ipsec policy
add dst-address=10.2.0.0/24 peer=branch src-address=10.1.0.0/24 tunnel=yes
/ip ipsec identity
add peer=branch secret=donotshow
/ip address
add address=10.1.0.1/24 interface=ether2
add address=198.51.100.2/30 interface=ether1
/ip route
add gateway=198.51.100.1
/ip firewall filter
add action=accept chain=forward ipsec-policy=in,ipsec
add action=accept chain=forward ipsec-policy=out,ipsec
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related
/ip firewall nat
add action=masquerade chain=srcnat ipsec-policy=out,none out-interface=ether1
