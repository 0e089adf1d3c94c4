# The start configuration of tester in topologies/fastpath-chr-tester.clab.yml.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Made by scripts/routeros/start_configs.py from labs/fastpath/routeros; change it there.

# tester/ports.rsc
/interface/ethernet
set [find where default-name=ether2] name=p1 mac-address=02:00:C6:12:01:02
set [find where default-name=ether3] name=p2 mac-address=02:00:C6:12:02:02
set [find where default-name=ether4] name=p3 mac-address=02:00:C6:12:03:02

# Everything above was read: whoever waits for this router waits for this name.
/system/identity set name=ppslab-fastpath-chr-tester-tester
