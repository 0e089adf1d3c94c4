# 2026-11-20 10:00:00 by RouterOS 7.21
# model = hAP ax^3
/interface wireguard
add listen-port=13231 mtu=1420 name=wg0
/interface wireguard peers
add allowed-address=10.9.0.2/32,10.2.0.0/24 endpoint-address=203.0.113.9 endpoint-port=13231 interface=wg0 public-key="AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
/ip address
add address=10.9.0.1/24 interface=wg0
add address=192.168.88.1/24 interface=ether2
/ip dhcp-client
add interface=ether1
/ip route
add dst-address=10.2.0.0/24 gateway=wg0
/ip firewall filter
add action=accept chain=input dst-port=13231 protocol=udp
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
