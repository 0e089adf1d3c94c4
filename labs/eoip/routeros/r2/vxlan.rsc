# VXLAN, and the LAN in one bridge with it. IANA's port 4789, which is not what RouterOS takes by itself.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/interface/vxlan
add name=vxlan1 vni=100 port=4789 local-address=198.19.2.2 mtu=9000 mac-address=02:00:C6:13:00:02 allow-fast-path=yes
/interface/vxlan/vteps
add interface=vxlan1 remote-ip=198.19.1.2

/interface/bridge
add name=br-lan protocol-mode=none
/interface/bridge/port
add bridge=br-lan interface=lan hw=no
add bridge=br-lan interface=vxlan1
