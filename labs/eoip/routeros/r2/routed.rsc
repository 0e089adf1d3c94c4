# The tunnel as a routed interface: mtu=auto gives it 1458 on a path of 1500.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/interface/eoip
add name=eoip1 local-address=198.19.2.2 remote-address=198.19.1.2 tunnel-id=100 mac-address=02:00:C6:13:00:02 allow-fast-path=yes clamp-tcp-mss=no dont-fragment=no

/ip/address
add address=198.19.0.2/30 interface=eoip1
/ip/route
set [find where dst-address=198.18.1.0/24] gateway=198.19.0.1
