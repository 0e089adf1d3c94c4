# The start configuration of dut in topologies/cores-chr.clab.yml.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Made by scripts/routeros/start_configs.py from labs/cores/routeros; change it there.

# ports.rsc
/interface/ethernet
set [find where default-name=ether2] name=p1 mac-address=02:00:C6:12:01:01
set [find where default-name=ether3] name=p2 mac-address=02:00:C6:12:02:01
set [find where default-name=ether4] name=p3 mac-address=02:00:C6:12:03:01
set [find where default-name=ether5] name=p4 mac-address=02:00:C6:12:04:01

# routing.rsc
/ip/address
add address=198.18.1.1/24 interface=p1
add address=198.18.2.1/24 interface=p2
add address=198.18.3.1/24 interface=p3
add address=198.18.4.1/24 interface=p4
/ip/arp
add address=198.18.1.2 mac-address=02:00:C6:12:01:02 interface=p1
add address=198.18.2.2 mac-address=02:00:C6:12:02:02 interface=p2
add address=198.18.3.2 mac-address=02:00:C6:12:03:02 interface=p3
add address=198.18.4.2 mac-address=02:00:C6:12:04:02 interface=p4

# slow-path.rsc
/ip/settings set allow-fast-path=no
/ip/firewall/connection/tracking set enabled=no

# Everything above was read: whoever waits for this router waits for this name.
/system/identity set name=ppslab-cores-chr-dut
