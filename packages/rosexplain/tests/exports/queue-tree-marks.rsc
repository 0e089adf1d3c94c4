# 2026-11-20 10:00:00 by RouterOS 7.15.3
# model = RB4011iGS+
/queue tree
add max-limit=95M name=up parent=ether1
add name=voice packet-mark=voice parent=up priority=1
add name=other packet-mark=no-mark parent=up priority=8
/ip address
add address=192.168.88.1/24 interface=ether2
/ip dhcp-client
add interface=ether1
/ip firewall mangle
add action=mark-connection chain=forward new-connection-mark=voice dst-port=5060 protocol=udp
add action=mark-packet chain=forward connection-mark=voice new-packet-mark=voice passthrough=no
/ip firewall filter
add action=fasttrack-connection chain=forward connection-mark=no-mark connection-state=established,related
add action=accept chain=forward connection-state=established,related
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
