# What TCP connections ask for is lowered to what the session carries. Linux: ../linux/home/mss.nft
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# change-tcp-mss=yes in the PPP profile makes such rules by itself.
/ip/firewall/mangle
add chain=forward out-interface-list=WAN protocol=tcp tcp-flags=syn action=change-mss new-mss=clamp-to-pmtu
add chain=forward in-interface-list=WAN protocol=tcp tcp-flags=syn action=change-mss new-mss=clamp-to-pmtu
