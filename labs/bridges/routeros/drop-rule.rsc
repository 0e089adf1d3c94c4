# A bridge filter rule that drops everything that a bridge forwards, and counts it. Linux: ../linux/drop-rule.nft
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/interface/bridge/filter add chain=forward action=drop
