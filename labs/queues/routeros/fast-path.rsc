# The fast path open, as it is by default: no rule, no simple queue, no tracking.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/ip/settings set allow-fast-path=yes
/ip/firewall/connection/tracking set enabled=auto
