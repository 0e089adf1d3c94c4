# Do the ports of the bond share the load?
# Not yet confirmed on a real router or CHR; checked offline against RouterOS's own command trees, 7.18 to 7.24.

# mode, transmit-hash-policy
/interface/bonding print
# active-ports, lacp-partner-system-id
/interface/bonding monitor Po0
# bytes of each port: are they similar?
/interface print stats where name~"ether"
