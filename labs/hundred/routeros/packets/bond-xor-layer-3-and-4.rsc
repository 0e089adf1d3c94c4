# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# The article's bond speaks LACP; balance-xor chooses the port by the same hash, and needs no partner: the tester is none.
/interface/bonding
add name=Po0 mode=balance-xor slaves=ether1,ether2,ether3,ether4,ether5,ether6,ether7,ether8 transmit-hash-policy=layer-3-and-4 mtu=1520
