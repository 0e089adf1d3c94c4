# The first of the slides' three rules; it must come first. Linux: ../linux/fasttrack.nft
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# RouterOS fast-tracks TCP and UDP only, whatever else the rule matches.
/ip/firewall/filter
add chain=forward action=fasttrack-connection connection-state=established,related
