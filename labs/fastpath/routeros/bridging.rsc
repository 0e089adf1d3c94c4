# Three ports in one bridge: the article's "DUT Config" for bridging.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Ours, not the article's: hw=no keeps the frames on the CPU where a switch chip could take them (the article picks
# ports of different chips for that), and no spanning tree, as the tester sends none.
/interface/bridge add name=bridge1 protocol-mode=none
/interface/bridge/port
add bridge=bridge1 interface=p1 hw=no
add bridge=bridge1 interface=p2 hw=no
add bridge=bridge1 interface=p3 hw=no
