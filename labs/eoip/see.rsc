# The tunnel's state, and where packets are fragmented.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS's own command trees, 7.18 to 7.24.

# flag R: the tunnel runs; actual-mtu: the largest packet that is routed into it whole
/interface/eoip print detail
# which ciphers, and whether hardware encrypts
/ip/ipsec/installed-sa print
# what the CPU works on; on a router with several, cpu=all lists each
/tool profile
# ipv4-fast-path-packets: fragments do not count here
/ip/settings print
# two packets for each frame, a large one and a small one: fragments
/tool/sniffer quick interface=wan ip-protocol=gre
# the same with ipsec-secret: the packets leave as ESP
/tool/sniffer quick interface=wan ip-protocol=ipsec-esp
