# The article's first three rules, in its order. Linux: ../linux/filter-3.nft
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/ip/firewall/filter
add chain=forward protocol=tcp connection-state=invalid action=drop comment="drop invalid connections"
add chain=forward connection-state=established action=accept comment="allow already established connections"
add chain=forward connection-state=related action=accept comment="allow related connections"
