# The start configuration of server in topologies/pppoe-chr.clab.yml.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Made by scripts/routeros/start_configs.py from labs/pppoe/routeros; change it there.

# server.rsc
/interface/ethernet
set [find where default-name=ether2] name=p1 mac-address=02:00:C6:12:01:01
set [find where default-name=ether3] name=link mac-address=02:00:C6:12:0A:01 mtu=1500
set [find where default-name=ether4] name=jumbo-link mtu=1508 l2mtu=1598
/ip/address
add address=198.18.1.1/24 interface=p1
add address=198.18.10.1/24 interface=link
/ip/arp add address=198.18.1.2 mac-address=02:00:C6:12:01:02 interface=p1
/ip/route
add dst-address=198.19.1.0/24 gateway=198.18.1.2
add dst-address=198.19.2.9/32 gateway=198.18.10.2
/ppp/profile
add name=plain local-address=198.18.100.254 use-encryption=no use-compression=no change-tcp-mss=no
add name=encrypted local-address=198.18.100.254 use-encryption=required use-compression=no change-tcp-mss=no
/interface/pppoe-server/server
add service-name=plain interface=link default-profile=plain authentication=mschap2 max-mtu=1492 max-mru=1492 mrru=disabled keepalive-timeout=disabled disabled=no
add service-name=encrypted interface=link default-profile=encrypted authentication=mschap2 max-mtu=1492 max-mru=1492 mrru=disabled keepalive-timeout=disabled disabled=no
add service-name=multilink interface=link default-profile=plain authentication=mschap2 max-mtu=1492 max-mru=1492 mrru=1500 keepalive-timeout=disabled disabled=no
add service-name=jumbo interface=jumbo-link default-profile=plain authentication=mschap2 max-mtu=1500 max-mru=1500 mrru=disabled keepalive-timeout=disabled disabled=no
add service-name=many interface=link default-profile=plain authentication=mschap2 max-mtu=1492 max-mru=1492 mrru=disabled keepalive-timeout=disabled disabled=no
/ppp/secret
add name=plain password=ppslab service=pppoe profile=plain remote-address=198.18.100.1 routes=198.19.2.1/32
add name=encrypted password=ppslab service=pppoe profile=encrypted remote-address=198.18.100.2 routes=198.19.2.2/32
add name=multilink password=ppslab service=pppoe profile=plain remote-address=198.18.100.3 routes=198.19.2.3/32
add name=jumbo password=ppslab service=pppoe profile=plain remote-address=198.18.100.4 routes=198.19.2.4/32
/ppp/secret add name="many101" password=ppslab service=pppoe profile=plain remote-address="198.18.100.101" routes="198.19.2.101/32"
/ppp/secret add name="many102" password=ppslab service=pppoe profile=plain remote-address="198.18.100.102" routes="198.19.2.102/32"
/ppp/secret add name="many103" password=ppslab service=pppoe profile=plain remote-address="198.18.100.103" routes="198.19.2.103/32"
/ppp/secret add name="many104" password=ppslab service=pppoe profile=plain remote-address="198.18.100.104" routes="198.19.2.104/32"
/ppp/secret add name="many105" password=ppslab service=pppoe profile=plain remote-address="198.18.100.105" routes="198.19.2.105/32"
/ppp/secret add name="many106" password=ppslab service=pppoe profile=plain remote-address="198.18.100.106" routes="198.19.2.106/32"
/ppp/secret add name="many107" password=ppslab service=pppoe profile=plain remote-address="198.18.100.107" routes="198.19.2.107/32"
/ppp/secret add name="many108" password=ppslab service=pppoe profile=plain remote-address="198.18.100.108" routes="198.19.2.108/32"

# no-tracking.rsc
/ip/firewall/connection/tracking set enabled=no

# Everything above was read: whoever waits for this router waits for this name.
/system/identity set name=ppslab-pppoe-chr-server
