# 2026-11-20 10:00:00 by RouterOS 7.20
# model = RB750Gr3
/interface list
add name=WAN
add name=LAN
/interface list member
add interface=ether1 list=WAN
add interface=ether2 list=LAN
/ip address
add address=192.168.88.1/24 interface=ether2
/ip dhcp-client
add interface=ether1
/ip firewall address-list
add address=192.0.2.0/24 list=blocked
/ip firewall filter
add action=drop chain=forward src-address-list=blocked
add action=jump chain=forward jump-target=web protocol=tcp
add action=accept chain=web dst-port=80,443 connection-state=established
add action=return chain=web
add action=accept chain=forward protocol=tcp connection-state=established,related
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related
add action=drop chain=forward in-interface-list=WAN connection-state=new
/ip firewall nat
add action=masquerade chain=srcnat out-interface-list=WAN
