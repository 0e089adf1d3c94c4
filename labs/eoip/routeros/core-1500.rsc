# A core that carries 1500 bytes, as the Internet does.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/interface/ethernet
set [find where name=to-r1] mtu=1500
set [find where name=to-r2] mtu=1500
