# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# IPv6 on the VLANs of the first pair.
/ipv6/address
add address=2001:2:0:1::1/64 interface=VLAN3000-SERVER-01-IPERF-01-SERVER-03 advertise=no
add address=2001:2:0:2::1/64 interface=VLAN3001-SERVER-03-SERVER-01 advertise=no

/ipv6/neighbor
add address=2001:2:0:1::2 mac-address=02:00:C6:12:00:02 interface=VLAN3000-SERVER-01-IPERF-01-SERVER-03
add address=2001:2:0:2::2 mac-address=02:00:C6:12:00:04 interface=VLAN3001-SERVER-03-SERVER-01
