# Connection tracking off. On both routers.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/ip/firewall/connection/tracking set enabled=no
