# The start configuration of core in topologies/eoip-tcp-chr.clab.yml.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Made by scripts/routeros/start_configs.py from labs/eoip/routeros; change it there.

# core.rsc
/interface/ethernet
set [find where default-name=ether2] name=to-r1 mtu=9500 mac-address=02:00:C6:13:01:01
set [find where default-name=ether3] name=to-r2 mtu=9500 mac-address=02:00:C6:13:02:01
/ip/address
add address=198.19.1.1/24 interface=to-r1
add address=198.19.2.1/24 interface=to-r2
/ip/route
add dst-address=198.18.1.0/24 gateway=198.19.1.2
add dst-address=198.18.2.0/24 gateway=198.19.2.2

# Everything above was read: whoever waits for this router waits for this name.
/system/identity set name=ppslab-eoip-tcp-chr-core
