# The start configuration of dut in topologies/fastpath-chr-tester.clab.yml.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Made by scripts/routeros/start_configs.py from labs/fastpath/routeros; change it there.

# ports.rsc
/interface/ethernet
set [find where default-name=ether2] name=p1 mac-address=02:00:C6:12:01:01
set [find where default-name=ether3] name=p2 mac-address=02:00:C6:12:02:01
set [find where default-name=ether4] name=p3 mac-address=02:00:C6:12:03:01

# routing.rsc
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

# fast-path.rsc
/ip/settings set allow-fast-path=yes
/ipv6/settings set allow-fast-path=yes
/ip/firewall/connection/tracking set enabled=auto

# Everything above was read: whoever waits for this router waits for this name.
/system/identity set name=ppslab-fastpath-chr-tester-dut
