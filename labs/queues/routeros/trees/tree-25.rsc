# A queue tree of 25 queues in global, and 25 mangle rules that mark their packets. Linux: ../../linux/trees/tree-25.nft and tree-25.tc
# With action=mark-packet and passthrough=no the first rule that matches is the last that the packet is checked against.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/ip/firewall/mangle
add chain=forward src-address=198.19.0.2 action=mark-packet new-packet-mark=m1 passthrough=no
add chain=forward src-address=198.19.0.3 action=mark-packet new-packet-mark=m2 passthrough=no
add chain=forward src-address=198.19.0.4 action=mark-packet new-packet-mark=m3 passthrough=no
add chain=forward src-address=198.19.0.5 action=mark-packet new-packet-mark=m4 passthrough=no
add chain=forward src-address=198.19.0.6 action=mark-packet new-packet-mark=m5 passthrough=no
add chain=forward src-address=198.19.0.7 action=mark-packet new-packet-mark=m6 passthrough=no
add chain=forward src-address=198.19.0.8 action=mark-packet new-packet-mark=m7 passthrough=no
add chain=forward src-address=198.19.0.9 action=mark-packet new-packet-mark=m8 passthrough=no
add chain=forward src-address=198.19.0.10 action=mark-packet new-packet-mark=m9 passthrough=no
add chain=forward src-address=198.19.0.11 action=mark-packet new-packet-mark=m10 passthrough=no
add chain=forward src-address=198.19.0.12 action=mark-packet new-packet-mark=m11 passthrough=no
add chain=forward src-address=198.19.0.13 action=mark-packet new-packet-mark=m12 passthrough=no
add chain=forward src-address=198.19.0.14 action=mark-packet new-packet-mark=m13 passthrough=no
add chain=forward src-address=198.19.0.15 action=mark-packet new-packet-mark=m14 passthrough=no
add chain=forward src-address=198.19.0.16 action=mark-packet new-packet-mark=m15 passthrough=no
add chain=forward src-address=198.19.0.17 action=mark-packet new-packet-mark=m16 passthrough=no
add chain=forward src-address=198.19.0.18 action=mark-packet new-packet-mark=m17 passthrough=no
add chain=forward src-address=198.19.0.19 action=mark-packet new-packet-mark=m18 passthrough=no
add chain=forward src-address=198.19.0.20 action=mark-packet new-packet-mark=m19 passthrough=no
add chain=forward src-address=198.19.0.21 action=mark-packet new-packet-mark=m20 passthrough=no
add chain=forward src-address=198.19.0.22 action=mark-packet new-packet-mark=m21 passthrough=no
add chain=forward src-address=198.19.0.23 action=mark-packet new-packet-mark=m22 passthrough=no
add chain=forward src-address=198.19.0.24 action=mark-packet new-packet-mark=m23 passthrough=no
add chain=forward src-address=198.19.0.25 action=mark-packet new-packet-mark=m24 passthrough=no
add chain=forward src-address=198.18.1.2 action=mark-packet new-packet-mark=m25 passthrough=no

/queue/tree
add name=t1 parent=global packet-mark=m1 max-limit=10G
add name=t2 parent=global packet-mark=m2 max-limit=10G
add name=t3 parent=global packet-mark=m3 max-limit=10G
add name=t4 parent=global packet-mark=m4 max-limit=10G
add name=t5 parent=global packet-mark=m5 max-limit=10G
add name=t6 parent=global packet-mark=m6 max-limit=10G
add name=t7 parent=global packet-mark=m7 max-limit=10G
add name=t8 parent=global packet-mark=m8 max-limit=10G
add name=t9 parent=global packet-mark=m9 max-limit=10G
add name=t10 parent=global packet-mark=m10 max-limit=10G
add name=t11 parent=global packet-mark=m11 max-limit=10G
add name=t12 parent=global packet-mark=m12 max-limit=10G
add name=t13 parent=global packet-mark=m13 max-limit=10G
add name=t14 parent=global packet-mark=m14 max-limit=10G
add name=t15 parent=global packet-mark=m15 max-limit=10G
add name=t16 parent=global packet-mark=m16 max-limit=10G
add name=t17 parent=global packet-mark=m17 max-limit=10G
add name=t18 parent=global packet-mark=m18 max-limit=10G
add name=t19 parent=global packet-mark=m19 max-limit=10G
add name=t20 parent=global packet-mark=m20 max-limit=10G
add name=t21 parent=global packet-mark=m21 max-limit=10G
add name=t22 parent=global packet-mark=m22 max-limit=10G
add name=t23 parent=global packet-mark=m23 max-limit=10G
add name=t24 parent=global packet-mark=m24 max-limit=10G
add name=t25 parent=global packet-mark=m25 max-limit=10G
