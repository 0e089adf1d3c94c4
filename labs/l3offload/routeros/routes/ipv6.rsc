# The same over IPv6, in RFC 5180's networks.
# Not yet confirmed on a real switch; checked offline against RouterOS 7.21's own command tree.
/ipv6/address
add address=2001:2:0:1::1/64 interface=p1 advertise=no
add address=2001:2:0:2::1/64 interface=p2 advertise=no
/ipv6/neighbor
add address=2001:2:0:1::2 mac-address=02:00:C6:12:01:02 interface=p1
add address=2001:2:0:2::2 mac-address=02:00:C6:12:02:02 interface=p2
/ipv6/route
add dst-address=2001:2:0:100::/56 gateway=2001:2:0:1::2
add dst-address=2001:2:0:200::/56 gateway=2001:2:0:2::2
