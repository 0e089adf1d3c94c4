# FastTrack for IPv6, which RouterOS has from 7.18 on; the slides are of 2015. Linux: ../linux/fasttrack.nft
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/ipv6/firewall/filter
add chain=forward action=fasttrack-connection connection-state=established,related
