# The start configuration of dut in topologies/l3offload-chr.clab.yml.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Made by scripts/routeros/start_configs.py from labs/l3offload/routeros; change it there.

# ports.rsc
/interface/ethernet
set [find where default-name=ether2] name=p1 mac-address=02:00:C6:12:01:01
set [find where default-name=ether3] name=p2 mac-address=02:00:C6:12:02:01

# addresses.rsc
/ip/address
add address=198.18.1.1/24 interface=p1
add address=198.18.2.1/24 interface=p2
/ip/arp
add address=198.18.1.2 mac-address=02:00:C6:12:01:02 interface=p1
add address=198.18.2.2 mac-address=02:00:C6:12:02:02 interface=p2

# routes/two.rsc
/ip/route
add dst-address=198.18.0.0/16 gateway=198.18.1.2
add dst-address=198.19.0.0/16 gateway=198.18.2.2

# Everything above was read: whoever waits for this router waits for this name.
/system/identity set name=ppslab-l3offload-chr-dut
