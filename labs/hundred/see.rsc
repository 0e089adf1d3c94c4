# Whether the ports of the bond share the load: what to ask a router.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS's own command trees, 7.18 to 7.24.

# mode, transmit-hash-policy
/interface/bonding print
# active-ports, lacp-partner-system-id
/interface/bonding monitor Po0
# bytes of each port: are they alike?
/interface print stats where name~"ether"
