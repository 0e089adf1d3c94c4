# What the tunnel does, and where packets are cut: what to ask a router.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS's own command trees, 7.18 to 7.24.

# flag R: the tunnel runs; actual-mtu: what is routed in is cut to this
/interface/eoip print detail
# which ciphers, and whether hardware does them
/ip/ipsec/installed-sa print
# on what the CPU works; a router with several takes cpu=all and tells them apart
/tool profile
# ipv4-fast-path-packets: fragments are not among them
/ip/settings print
# two packets of one size class each: fragments
/tool/sniffer quick interface=wan ip-protocol=gre
