# 2026-11-20 10:00:00 by RouterOS 7.16
# model = RB5009UG+S+
/interface bridge
add name=bridge
/interface bridge settings
set use-ip-firewall=yes
/interface bridge port
add bridge=bridge interface=ether2
add bridge=bridge interface=ether3 hw=no
/interface bridge filter
add action=drop chain=forward dst-port=445 ip-protocol=tcp mac-protocol=ip
add action=accept chain=forward
/ip firewall filter
add action=accept chain=forward
