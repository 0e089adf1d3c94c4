# The two test ports, their addresses, and neighbours that answer no ARP.
# Not yet confirmed on a real router or CHR.
/interface/ethernet
set [find where default-name=ether2] name=p1 mac-address=02:00:C6:12:01:01
set [find where default-name=ether3] name=p2 mac-address=02:00:C6:12:02:01

/ip/address
add address=198.18.1.1/24 interface=p1
add address=198.18.2.1/24 interface=p2

/ip/arp
add address=198.18.1.2 mac-address=02:00:C6:12:01:02 interface=p1
add address=198.18.2.2 mac-address=02:00:C6:12:02:02 interface=p2
