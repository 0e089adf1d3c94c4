# One rule that drops every packet that is forwarded. Linux: ../linux/drop-all.nft.
# Not yet confirmed on a real switch; checked offline against RouterOS 7.21's own command tree.
/ip/firewall/filter
add chain=forward action=drop
