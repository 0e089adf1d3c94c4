# The article's three runs for bridging: frames of 64, 512 and 1518 bytes (packet-size leaves out the FCS's four bytes).
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# mbps is for each stream, and each port sends two. The article's quick runs until it is stopped; here it ends by itself.
/tool/traffic-generator
quick tx-template=b12,b13,b21,b23,b31,b32 packet-size=60 mbps=200 duration=60s
quick tx-template=b12,b13,b21,b23,b31,b32 packet-size=508 mbps=500 duration=60s
quick tx-template=b12,b13,b21,b23,b31,b32 packet-size=1514 mbps=500 duration=60s
