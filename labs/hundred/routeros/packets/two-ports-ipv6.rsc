# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/ipv6/address
add address=2001:2:0:1::1/64 interface=ether1 advertise=no
add address=2001:2:0:2::1/64 interface=ether2 advertise=no

/ipv6/neighbor
add address=2001:2:0:1::2 mac-address=02:00:C6:12:00:02 interface=ether1
add address=2001:2:0:2::2 mac-address=02:00:C6:12:00:04 interface=ether2
