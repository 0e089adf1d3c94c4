# The second router as the tester, for bridging: the article's "Traffic Generator Config", after ports.rsc.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Run with bridging-quick.rsc.
/ip/address
add address=198.18.0.1/24 interface=p1
add address=198.18.0.2/24 interface=p2
add address=198.18.0.3/24 interface=p3

# Ours, not the article's: port and mac-dst. All three addresses are in one subnet and on one router,
# so neither can be told from the addresses alone.
/tool/traffic-generator/packet-template
add name=b12 header-stack=mac,ip,udp port=p1 mac-dst=02:00:C6:12:02:02 ip-src=198.18.0.1 ip-dst=198.18.0.2
add name=b13 header-stack=mac,ip,udp port=p1 mac-dst=02:00:C6:12:03:02 ip-src=198.18.0.1 ip-dst=198.18.0.3
add name=b21 header-stack=mac,ip,udp port=p2 mac-dst=02:00:C6:12:01:02 ip-src=198.18.0.2 ip-dst=198.18.0.1
add name=b23 header-stack=mac,ip,udp port=p2 mac-dst=02:00:C6:12:03:02 ip-src=198.18.0.2 ip-dst=198.18.0.3
add name=b32 header-stack=mac,ip,udp port=p3 mac-dst=02:00:C6:12:02:02 ip-src=198.18.0.3 ip-dst=198.18.0.2
add name=b31 header-stack=mac,ip,udp port=p3 mac-dst=02:00:C6:12:01:02 ip-src=198.18.0.3 ip-dst=198.18.0.1
