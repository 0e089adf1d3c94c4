# The router's addresses, and fixed neighbours because no test host answers ARP.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/ip/address
add address=198.18.1.1/24 interface=p1
add address=198.18.2.1/24 interface=p2

/ip/arp
add address=198.18.1.2 mac-address=02:00:C6:12:01:02 interface=p1
add address=198.18.2.2 mac-address=02:00:C6:12:02:02 interface=p2
