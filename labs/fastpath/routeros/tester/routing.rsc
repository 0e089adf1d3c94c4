# The second router as the tester, for routing: the article's "Traffic Generator Config", after ports.rsc.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Run with routing-quick.rsc.
/ip/address
add address=198.18.1.2/24 interface=p1
add address=198.18.2.2/24 interface=p2
add address=198.18.3.2/24 interface=p3

# As in the article: port, source address and the router's MAC address follow from ip-gateway.
# After a change on the router they are found anew by: /tool/traffic-generator/packet-template set [find]
# UDP ports (100 to 200), TTL (64) and UDP checksum (none) are RouterOS's own.
/tool/traffic-generator/packet-template
add name=r12 header-stack=mac,ip,udp ip-gateway=198.18.1.1 ip-dst=198.18.2.2
add name=r13 header-stack=mac,ip,udp ip-gateway=198.18.1.1 ip-dst=198.18.3.2
add name=r21 header-stack=mac,ip,udp ip-gateway=198.18.2.1 ip-dst=198.18.1.2
add name=r23 header-stack=mac,ip,udp ip-gateway=198.18.2.1 ip-dst=198.18.3.2
add name=r32 header-stack=mac,ip,udp ip-gateway=198.18.3.1 ip-dst=198.18.2.2
add name=r31 header-stack=mac,ip,udp ip-gateway=198.18.3.1 ip-dst=198.18.1.2
