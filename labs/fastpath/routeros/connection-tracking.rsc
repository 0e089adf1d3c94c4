# Connection tracking on, no rule: the article's second run.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Tracking alone closes the fast path (but to FastTrack), so allow-fast-path stays at its default.
/ip/settings set allow-fast-path=yes
/ipv6/settings set allow-fast-path=yes
/ip/firewall/connection/tracking set enabled=yes
