# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Packets in turn; there is no hash, and no LACP: the switch bundles its ports statically.
/interface/bonding
add name=Po0 mode=balance-rr slaves=ether1,ether2,ether3,ether4,ether5,ether6,ether7,ether8 mtu=1520
