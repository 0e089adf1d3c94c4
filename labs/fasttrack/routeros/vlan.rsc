# Both networks on VLANs of the ports. Linux: ../linux/vlan.ip
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# The tester's frames have no tag: a switch in front must give p1's those of VLAN 10, and p2's those of VLAN 20.
/interface/vlan
add interface=p1 name=inside vlan-id=10
add interface=p2 name=outside vlan-id=20

/ip/address
add address=198.18.1.1/24 interface=inside
add address=198.18.2.1/24 interface=outside

/ip/arp
add address=198.18.1.2 mac-address=02:00:C6:12:01:02 interface=inside
add address=198.18.2.2 mac-address=02:00:C6:12:02:02 interface=outside

/ip/settings set allow-fast-path=yes
/ip/firewall/connection/tracking set enabled=yes
