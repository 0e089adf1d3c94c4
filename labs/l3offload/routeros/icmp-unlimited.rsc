# No limit to ICMP errors; by default RouterOS limits time-exceeded to each destination (mask 0x1818, 10 ms).
# Not yet confirmed on a real switch; checked offline against RouterOS 7.21's own command tree.
/ip/settings set icmp-rate-mask=0x0
