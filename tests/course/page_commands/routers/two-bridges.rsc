# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB750Gr3
# Office and guests on two bridges, kept apart; guards on both.
/interface bridge
add dhcp-snooping=yes igmp-snooping=yes name=bridge1
add name=bridge2
/interface bridge filter
add action=drop chain=forward in-interface=ether5 mac-protocol=ipv6
/interface bridge port
add bridge=bridge1 interface=ether2 trusted=yes
add bridge=bridge1 interface=ether3
add bridge=bridge2 interface=ether4
add bridge=bridge2 interface=ether5
/interface bridge settings
set allow-fast-path=no use-ip-firewall=yes
/ip address
add address=192.168.10.1/24 interface=bridge1
add address=192.168.20.1/24 interface=bridge2
/ip dhcp-client
add interface=ether1
/ip firewall filter
add action=drop chain=forward in-interface=bridge2 out-interface=bridge1
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related
add action=drop chain=forward connection-nat-state=!dstnat connection-state=new in-interface=ether1
add action=accept chain=input connection-state=established,related
add action=drop chain=input in-interface=ether1
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
