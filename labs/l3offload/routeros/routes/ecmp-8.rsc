# One prefix with eight next hops.
# Not yet confirmed on a real switch; checked offline against RouterOS 7.21's own command tree.
/ip/arp
add address=198.18.2.3 mac-address=02:00:C6:12:02:03 interface=p2
add address=198.18.2.4 mac-address=02:00:C6:12:02:04 interface=p2
add address=198.18.2.5 mac-address=02:00:C6:12:02:05 interface=p2
add address=198.18.2.6 mac-address=02:00:C6:12:02:06 interface=p2
add address=198.18.2.7 mac-address=02:00:C6:12:02:07 interface=p2
add address=198.18.2.8 mac-address=02:00:C6:12:02:08 interface=p2
add address=198.18.2.9 mac-address=02:00:C6:12:02:09 interface=p2
/ip/route
add dst-address=198.18.0.0/16 gateway=198.18.1.2
add dst-address=198.19.0.0/16 gateway=198.18.2.2
add dst-address=198.19.0.0/16 gateway=198.18.2.3
add dst-address=198.19.0.0/16 gateway=198.18.2.4
add dst-address=198.19.0.0/16 gateway=198.18.2.5
add dst-address=198.19.0.0/16 gateway=198.18.2.6
add dst-address=198.19.0.0/16 gateway=198.18.2.7
add dst-address=198.19.0.0/16 gateway=198.18.2.8
add dst-address=198.19.0.0/16 gateway=198.18.2.9
