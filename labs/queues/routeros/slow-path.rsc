# Every packet takes the slow path, and nothing is tracked, so the difference is the cost of the queue.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/ip/settings set allow-fast-path=no
/ip/firewall/connection/tracking set enabled=no
