# The service `vlan` in VLAN 7 of the link, as access networks have it.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/interface/vlan add name=link-7 interface=link vlan-id=7
/interface/pppoe-server/server add service-name=vlan interface=link-7 default-profile=plain authentication=mschap2 max-mtu=1492 max-mru=1492 mrru=disabled keepalive-timeout=disabled disabled=no
/ppp/secret add name=vlan password=ppslab service=pppoe profile=plain remote-address=198.18.100.7 routes=198.19.2.7/32
