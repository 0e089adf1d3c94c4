# Slow path without connection tracking: every packet takes the whole way, and nothing looks at it.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# The article has no such case. It parts the cost of the slow path from that of connection tracking.
/ip/settings set allow-fast-path=no
/ipv6/settings set allow-fast-path=no
/ip/firewall/connection/tracking set enabled=no
