# The second router as the tester: its three ports are the test hosts.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# On a CHR under containerlab ether1 is for management. On the article's RB1100AHx2: ether1, ether6, ether11.
# The MAC addresses are those that the router has as fixed neighbours.
# The traffic generator is locked in every device-mode of RouterOS 7. Unlock it first, and confirm with a power cycle:
#   /system/device-mode/update traffic-gen=yes
/interface/ethernet
set [find where default-name=ether2] name=p1 mac-address=02:00:C6:12:01:02
set [find where default-name=ether3] name=p2 mac-address=02:00:C6:12:02:02
set [find where default-name=ether4] name=p3 mac-address=02:00:C6:12:03:02

/tool/traffic-generator/port
add name=p1 interface=p1
add name=p2 interface=p2
add name=p3 interface=p3
