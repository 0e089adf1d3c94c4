# The two test ports, named as in lab.yml: the article's two SFP+ ports.
# Not yet confirmed on a real switch; checked offline against RouterOS 7.21's own command tree.
# The MAC addresses are those the test frames are sent to. On this chip the addresses of all ports that route may differ
# in the last byte only; these differ in the fifth, so on a CRS326 leave the ports their own and send to those.
/interface/ethernet
set [find where default-name=sfp-sfpplus1] name=p1 mac-address=02:00:C6:12:01:01
set [find where default-name=sfp-sfpplus2] name=p2 mac-address=02:00:C6:12:02:01
