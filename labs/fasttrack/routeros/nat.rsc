# What leaves by the second port gets the router's address there. Linux: ../linux/nat.nft
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/ip/firewall/nat
add chain=srcnat out-interface=p2 action=masquerade
