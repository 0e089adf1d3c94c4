# Commands that show which packets took the fast path.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS's own command trees, 7.18 to 7.24.

# ipv4-fast-path-active, ipv4-fast-path-packets
/ip/settings print
# ipv6-fast-path-active, ipv6-fast-path-packets
/ipv6/settings print
# bridge-fast-path-active, bridge-fast-path-packets
/interface/bridge/settings print
# fp-rx-packet, fp-tx-packet of each port
/interface print stats-detail
# packets and bits a second of all ports together (aggregate), and of each
/interface/monitor-traffic aggregate,ether1,ether2 once
