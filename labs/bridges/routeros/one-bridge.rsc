# All four ports in one bridge, which a switch chip forwards for if it can. hw=yes is RouterOS's default.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Read back: /interface/bridge/port/print shows the flag H. No spanning tree, because the tester sends none.
/interface/bridge add name=bridge1 protocol-mode=none
/interface/bridge/port
add bridge=bridge1 interface=p1 hw=yes
add bridge=bridge1 interface=p2 hw=yes
add bridge=bridge1 interface=p3 hw=yes
add bridge=bridge1 interface=p4 hw=yes
