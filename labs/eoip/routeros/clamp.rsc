# MSS clamping, which is RouterOS's default: SYNs that come out of the tunnel ask for segments that fit into it.
# Each end covers one direction, so both have it.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/interface/eoip
set [find where name=eoip1] clamp-tcp-mss=yes
