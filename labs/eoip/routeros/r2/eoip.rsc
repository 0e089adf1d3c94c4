# The tunnel, and the LAN in one bridge with it.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# l2mtu of an EoIP interface is 65535; mtu=9000 keeps the bridge from making it smaller.
# Each end of a tunnel that is bridged needs a MAC address of its own.
/interface/eoip
add name=eoip1 local-address=198.19.2.2 remote-address=198.19.1.2 tunnel-id=100 mtu=9000 mac-address=02:00:C6:13:00:02 allow-fast-path=yes clamp-tcp-mss=no dont-fragment=no

/interface/bridge
add name=br-lan protocol-mode=none
/interface/bridge/port
add bridge=br-lan interface=lan hw=no
add bridge=br-lan interface=eoip1
