# Slow path without connection tracking: every packet takes the whole way.
# Not yet confirmed on a real router or CHR.
/ip/settings set allow-fast-path=no
/ip/firewall/connection/tracking set enabled=no
