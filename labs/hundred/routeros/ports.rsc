# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# The eight ports of the bond. 1520 bytes as in the article, so that a full frame and its VLAN tag fit.
/interface/ethernet
set [find default-name=ether1] mtu=1520
set [find default-name=ether2] mtu=1520
set [find default-name=ether3] mtu=1520
set [find default-name=ether4] mtu=1520
set [find default-name=ether5] mtu=1520
set [find default-name=ether6] mtu=1520
set [find default-name=ether7] mtu=1520
set [find default-name=ether8] mtu=1520
