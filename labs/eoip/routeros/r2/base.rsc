# Router r2: the LAN, the way to the core, and plain routing to the other end.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# On a CHR under containerlab ether1 is for management.
# MTU 9500 towards the core, so that a frame of 9000 fits with all that the tunnel adds.
/interface/ethernet
set [find where default-name=ether2] name=lan mtu=9000 mac-address=02:00:C6:12:02:01
set [find where default-name=ether3] name=wan mtu=9500 mac-address=02:00:C6:13:02:02

/ip/address
add address=198.18.2.1/24 interface=lan
add address=198.19.2.2/24 interface=wan

/ip/route
add dst-address=198.18.1.0/24 gateway=198.19.2.1
add dst-address=198.19.1.0/24 gateway=198.19.2.1

/ip/arp
add address=198.18.2.2 mac-address=02:00:C6:12:02:02 interface=lan
