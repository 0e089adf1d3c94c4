# The start configuration of r2 in topologies/eoip-tcp-chr.clab.yml.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Made by scripts/routeros/start_configs.py from labs/eoip/routeros; change it there.

# r2/base.rsc
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

# Everything above was read: whoever waits for this router waits for this name.
/system/identity set name=ppslab-eoip-tcp-chr-r2
