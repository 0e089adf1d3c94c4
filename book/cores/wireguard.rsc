/interface/wireguard/add name=wg1 listen-port=13231 mtu=1420
/interface/wireguard/peers/add interface=wg1 public-key="b48yvFLHn8Kx7JXXem40ksdRFdmWFLj5kq21D91V2Sc=" endpoint-address=203.0.113.9 endpoint-port=13231 allowed-address=10.255.255.2/32,10.1.101.0/24
/ip/address/add address=10.255.255.1/30 interface=wg1
/ip/route/add dst-address=10.1.101.0/24 gateway=wg1

/ip/firewall/filter
# Packets for the tunnel's port, and packets that leave the tunnel.
add chain=input action=accept protocol=udp dst-port=13231 src-address=203.0.113.9 comment=wg1
add chain=forward action=accept in-interface=wg1 src-address=10.1.101.0/24 dst-address=10.1.202.0/24 comment=wg1
# Before the rules that drop. In a chain without such a rule, there is nothing to move.
move [find where chain=input comment=wg1] destination=[:pick [find where chain=input action=drop] 0]
move [find where chain=forward comment=wg1] destination=[:pick [find where chain=forward action=drop] 0]

# TCP over IPv4 fits into 1420 bytes with segments of 1380 bytes.
/ip/firewall/mangle
add chain=forward action=change-mss out-interface=wg1 protocol=tcp tcp-flags=syn tcp-mss=1381-65535 new-mss=1380
add chain=forward action=change-mss in-interface=wg1 protocol=tcp tcp-flags=syn tcp-mss=1381-65535 new-mss=1380
