# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CCR2216-1G-12XS-2XQ
/interface ethernet switch
set 0 l3-hw-offloading=yes
/interface ethernet switch port
set sfp28-3 l3-hw-offloading=no
/interface vlan
add interface=sfp28-2 name=v100 vlan-id=100
/ip address
add address=198.51.100.2/30 interface=sfp28-1
add address=10.1.0.1/24 interface=v100
add address=10.3.0.1/24 interface=sfp28-3
/ip route
add gateway=198.51.100.1
/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=established,related hw-offload=yes
add action=accept chain=forward connection-state=established,related
add action=drop chain=forward connection-state=invalid
/ip firewall nat
add action=masquerade chain=srcnat out-interface=sfp28-1
