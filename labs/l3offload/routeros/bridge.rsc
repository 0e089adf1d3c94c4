# Both ports in one bridge, on one switch chip or on two: /interface/ethernet/switch/port says which is where.
# Not yet confirmed on a real switch; checked offline against RouterOS 7.21's own command tree.
/interface/bridge add name=bridge1 protocol-mode=none
/interface/bridge/port
add bridge=bridge1 interface=p1
add bridge=bridge1 interface=p2
