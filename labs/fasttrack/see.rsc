# Commands that show which packets and connections FastTrack handled.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS's own command trees, 7.18 to 7.24.

# ipv4-fasttrack-active, ipv4-fasttrack-packets
/ip/settings print
# ipv6-fasttrack-active, ipv6-fasttrack-packets
/ipv6/settings print
# bridge-fast-path-active: must be yes for FastTrack if a connection crosses a bridge
/interface/bridge/settings print
# flag F; orig-fasttrack-packets, repl-fasttrack-packets
/ip/firewall/connection print detail
# first line: the dummy rule that shows FastTrack's counters
/ip/firewall/filter print stats
