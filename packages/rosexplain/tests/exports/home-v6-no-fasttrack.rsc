# nov/20/2019 10:00:00 by RouterOS 6.45.9
# model = 750GL
/interface bridge
add name=bridge-local
/interface bridge port
add bridge=bridge-local interface=ether2
add bridge=bridge-local interface=ether3
/ip address
add address=192.168.1.1/24 interface=bridge-local
/ip dhcp-client
add disabled=no interface=ether1
/ip firewall filter
add action=accept chain=forward connection-state=established
add action=accept chain=forward connection-state=related
add action=drop chain=forward connection-state=invalid
add action=drop chain=forward connection-state=new in-interface=ether1 connection-nat-state=!dstnat
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
