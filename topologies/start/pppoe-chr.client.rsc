# The start configuration of client in topologies/pppoe-chr.clab.yml.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Made by scripts/routeros/start_configs.py from labs/pppoe/routeros; change it there.

# client.rsc
/interface/ethernet
set [find where default-name=ether2] name=link mac-address=02:00:C6:12:0A:02 mtu=1500
set [find where default-name=ether3] name=p2 mac-address=02:00:C6:12:02:01
set [find where default-name=ether4] name=jumbo-link mtu=1508 l2mtu=1598
/ip/address
add address=198.18.10.2/24 interface=link
add address=198.18.2.1/24 interface=p2
/ip/arp add address=198.18.2.2 mac-address=02:00:C6:12:02:02 interface=p2
/ppp/profile add name=client use-encryption=default use-compression=no change-tcp-mss=no
/interface/pppoe-client
add name=plain interface=link service-name=plain user=plain password=ppslab profile=client allow=mschap2 max-mtu=1492 max-mru=1492 mrru=disabled add-default-route=no keepalive-timeout=disabled disabled=no
add name=encrypted interface=link service-name=encrypted user=encrypted password=ppslab profile=client allow=mschap2 max-mtu=1492 max-mru=1492 mrru=disabled add-default-route=no keepalive-timeout=disabled disabled=no
add name=multilink interface=link service-name=multilink user=multilink password=ppslab profile=client allow=mschap2 max-mtu=1492 max-mru=1492 mrru=1500 add-default-route=no keepalive-timeout=disabled disabled=no
add name=jumbo interface=jumbo-link service-name=jumbo user=jumbo password=ppslab profile=client allow=mschap2 max-mtu=1500 max-mru=1500 mrru=disabled add-default-route=no keepalive-timeout=disabled disabled=no
/ip/route
add dst-address=198.19.2.0/24 gateway=198.18.2.2
add dst-address=198.19.1.1/32 gateway=plain
add dst-address=198.19.1.2/32 gateway=encrypted
add dst-address=198.19.1.3/32 gateway=multilink
add dst-address=198.19.1.4/32 gateway=jumbo
add dst-address=198.19.1.9/32 gateway=198.18.10.1

# no-tracking.rsc
/ip/firewall/connection/tracking set enabled=no

# Everything above was read: whoever waits for this router waits for this name.
/system/identity set name=ppslab-pppoe-chr-client
