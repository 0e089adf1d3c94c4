# MSS clamping, which is RouterOS's default: a TCP connection through the tunnel asks for segments that fit into it.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/interface/eoip
set [find where name=eoip1] clamp-tcp-mss=yes
