# Ports 1, 2 and 3 in one bridge, forwarded by the CPU; port 3 is slow.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/interface/bridge add name=bridge1 protocol-mode=none
/interface/bridge/port
add bridge=bridge1 interface=p1 hw=no
add bridge=bridge1 interface=p2 hw=no
add bridge=bridge1 interface=p3 hw=no
