# Connections are tracked and the fast path is allowed, because FastTrack needs both.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/ip/settings set allow-fast-path=yes
/ip/firewall/connection/tracking set enabled=yes
