# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Fixed neighbours of the first pair, as no generator answers ARP here.
/ip/arp
add address=198.18.1.2 mac-address=02:00:C6:12:00:02 interface=VLAN3000-SERVER-01-IPERF-01-SERVER-03
add address=198.18.2.2 mac-address=02:00:C6:12:00:04 interface=VLAN3001-SERVER-03-SERVER-01
