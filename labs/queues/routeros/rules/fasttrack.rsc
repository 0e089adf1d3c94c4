# The FastTrack rule, before those of rules.rsc. Linux: ../../linux/rules/fasttrack.nft
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/ip/firewall/filter
add chain=forward action=fasttrack-connection connection-state=established,related
