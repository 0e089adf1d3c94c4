# Fast path on: RouterOS's default, written out.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# "auto" tracks connections from the first firewall rule on; without a rule it leaves the fast path open.
# Read back: /ip/settings/print shows ipv4-fast-path-active=yes, and ipv4-fast-path-packets grows.
/ip/settings set allow-fast-path=yes
/ipv6/settings set allow-fast-path=yes
/ip/firewall/connection/tracking set enabled=auto
