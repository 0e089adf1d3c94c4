# A path of 1500 bytes, as the Internet is.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/interface/ethernet
set [find where name=wan] mtu=1500
