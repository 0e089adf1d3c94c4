# The client's session in VLAN 7 of the link; home.rsc has made the list WAN.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/interface/vlan add name=link-7 interface=link vlan-id=7
/interface/pppoe-client add name=vlan interface=link-7 service-name=vlan user=vlan password=ppslab profile=client allow=mschap2 max-mtu=1492 max-mru=1492 mrru=disabled add-default-route=no keepalive-timeout=disabled disabled=no
/ip/route add dst-address=198.19.1.7/32 gateway=vlan
/interface/list/member add list=WAN interface=vlan
