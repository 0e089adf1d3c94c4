# Connection tracking on, no rule. On both routers.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Fragments are put together only while connection tracking is on (RouterOS 6.19, change log).
/ip/firewall/connection/tracking set enabled=yes
