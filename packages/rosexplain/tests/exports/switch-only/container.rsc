# 2026-11-20 10:00:00 by RouterOS 7.21
# model = RB5009UPr+S+
/interface bridge
add name=bridge
add name=containers
/interface veth
add address=172.17.0.2/24 gateway=172.17.0.1 name=veth1
/container
add interface=veth1 root-dir=usb1/dns
/interface bridge port
add bridge=bridge interface=ether2
add bridge=containers interface=veth1
/ip address
add address=192.168.88.1/24 interface=bridge
add address=172.17.0.1/24 interface=containers
/ip dhcp-client
add interface=ether1
/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
