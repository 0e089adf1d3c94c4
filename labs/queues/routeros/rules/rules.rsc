# The rule that accepts packets of established connections, and one for invalid ones. Linux: ../../linux/rules/rules.nft
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/ip/firewall/filter
add chain=forward action=accept connection-state=established,related
add chain=forward action=drop connection-state=invalid
