# Frames of Ethernet's own size in the LAN.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/interface/ethernet
set [find where name=lan] mtu=1500
