# Two bridges on one switch chip, which forwards for one of them.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/interface/bridge
add name=bridge1 protocol-mode=none
add name=bridge2 protocol-mode=none

/interface/bridge/port
add bridge=bridge1 interface=p1
add bridge=bridge1 interface=p2
add bridge=bridge2 interface=p3
add bridge=bridge2 interface=p4
