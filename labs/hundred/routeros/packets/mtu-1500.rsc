# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# The ports and the bond with the MTU that they have by themselves.
/interface/bonding set [find where name=Po0] mtu=1500
/interface/ethernet
set [find default-name=ether1] mtu=1500
set [find default-name=ether2] mtu=1500
set [find default-name=ether3] mtu=1500
set [find default-name=ether4] mtu=1500
set [find default-name=ether5] mtu=1500
set [find default-name=ether6] mtu=1500
set [find default-name=ether7] mtu=1500
set [find default-name=ether8] mtu=1500
