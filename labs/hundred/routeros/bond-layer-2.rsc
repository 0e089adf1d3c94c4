# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# layer-2 is what RouterOS takes where nothing is said.
/interface/bonding
add name=Po0 mode=802.3ad slaves=ether1,ether2,ether3,ether4,ether5,ether6,ether7,ether8 transmit-hash-policy=layer-2 mtu=1520
