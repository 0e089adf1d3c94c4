# GRE, routed into: 24 bytes a packet.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/interface/gre
add name=gre1 local-address=198.19.1.2 remote-address=198.19.2.2 mtu=9476 allow-fast-path=yes clamp-tcp-mss=no dont-fragment=no

/ip/address
add address=198.19.0.1/30 interface=gre1
/ip/route
set [find where dst-address=198.18.2.0/24] gateway=198.19.0.2
