# The four test ports, named as in lab.yml, and the router's addresses.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# On a CHR under containerlab ether1 is for management.  The MAC addresses are those the test frames are sent to.
# RouterOS's own kernel knows no NUMA nodes (reference configuration of its x86-64 kernel: NUMA is not set):
# which socket a card is on is decided outside, by the slot and by the hypervisor.
/interface/ethernet
set [find where default-name=ether2] name=p1 mac-address=02:00:C6:12:01:01
set [find where default-name=ether3] name=p2 mac-address=02:00:C6:12:02:01
set [find where default-name=ether4] name=p3 mac-address=02:00:C6:12:03:01
set [find where default-name=ether5] name=p4 mac-address=02:00:C6:12:04:01

/ip/address
add address=198.18.1.1/24 interface=p1
add address=198.18.2.1/24 interface=p2
add address=198.18.3.1/24 interface=p3
add address=198.18.4.1/24 interface=p4

/ip/arp
add address=198.18.1.2 mac-address=02:00:C6:12:01:02 interface=p1
add address=198.18.2.2 mac-address=02:00:C6:12:02:02 interface=p2
add address=198.18.3.2 mac-address=02:00:C6:12:03:02 interface=p3
add address=198.18.4.2 mac-address=02:00:C6:12:04:02 interface=p4
