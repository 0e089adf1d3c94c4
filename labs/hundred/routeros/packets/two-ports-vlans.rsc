# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# A VLAN on each of two ports, and no bond.
/interface/vlan
add interface=ether1 name=VLAN3000 vlan-id=3000
add interface=ether2 name=VLAN3001 vlan-id=3001

/ip/address
add address=198.18.1.1/24 interface=VLAN3000
add address=198.18.2.1/24 interface=VLAN3001

/ip/arp
add address=198.18.1.2 mac-address=02:00:C6:12:00:02 interface=VLAN3000
add address=198.18.2.2 mac-address=02:00:C6:12:00:04 interface=VLAN3001
