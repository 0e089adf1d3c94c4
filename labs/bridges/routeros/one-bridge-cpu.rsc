# The same bridge without hardware offload: the CPU forwards every frame, on the slow path.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/interface/bridge add name=bridge1 protocol-mode=none
/interface/bridge/port
add bridge=bridge1 interface=p1 hw=no
add bridge=bridge1 interface=p2 hw=no
add bridge=bridge1 interface=p3 hw=no
add bridge=bridge1 interface=p4 hw=no

/interface/bridge/settings set allow-fast-path=no use-ip-firewall=no
