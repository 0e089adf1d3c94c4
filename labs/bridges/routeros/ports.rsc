# The four test ports, named as in lab.yml.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# On a CHR under containerlab ether1 is for management. On a router, take four ports of one switch chip.
# The MAC addresses are those of the topology; bridged frames go to the hosts' own.
/interface/ethernet
set [find where default-name=ether2] name=p1 mac-address=02:00:C6:12:01:01
set [find where default-name=ether3] name=p2 mac-address=02:00:C6:12:02:01
set [find where default-name=ether4] name=p3 mac-address=02:00:C6:12:03:01
set [find where default-name=ether5] name=p4 mac-address=02:00:C6:12:04:01
