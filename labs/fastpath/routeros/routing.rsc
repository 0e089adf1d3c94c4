# The router's addresses: the article's "DUT Config" for routing.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# The article's own addresses are lost; these are RFC 2544's (IPv4) and RFC 5180's (IPv6).
# Ours, not the article's: fixed neighbours, as no test host answers ARP.
/ip/address
add address=198.18.1.1/24 interface=p1
add address=198.18.2.1/24 interface=p2
add address=198.18.3.1/24 interface=p3

/ip/arp
add address=198.18.1.2 mac-address=02:00:C6:12:01:02 interface=p1
add address=198.18.2.2 mac-address=02:00:C6:12:02:02 interface=p2
add address=198.18.3.2 mac-address=02:00:C6:12:03:02 interface=p3

/ipv6/address
add address=2001:2:0:1::1/64 interface=p1 advertise=no
add address=2001:2:0:2::1/64 interface=p2 advertise=no
add address=2001:2:0:3::1/64 interface=p3 advertise=no

/ipv6/neighbor
add address=2001:2:0:1::2 mac-address=02:00:C6:12:01:02 interface=p1
add address=2001:2:0:2::2 mac-address=02:00:C6:12:02:02 interface=p2
add address=2001:2:0:3::2 mac-address=02:00:C6:12:03:02 interface=p3
