# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Two ports without a bond and without a tag. Fixed neighbours, as no generator answers ARP here.
/ip/address
add address=198.18.1.1/24 interface=ether1
add address=198.18.2.1/24 interface=ether2

/ip/arp
add address=198.18.1.2 mac-address=02:00:C6:12:00:02 interface=ether1
add address=198.18.2.2 mac-address=02:00:C6:12:00:04 interface=ether2
