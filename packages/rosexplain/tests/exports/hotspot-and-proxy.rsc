# 2026-11-20 10:00:00 by RouterOS 7.14
# model = RB2011UiAS
/interface bridge
add name=hs
/interface bridge port
add bridge=hs interface=ether2
/ip hotspot
add address-pool=none disabled=no interface=hs name=hotspot1
/ip address
add address=10.5.50.1/24 interface=hs
/ip dhcp-client
add interface=ether1
/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
