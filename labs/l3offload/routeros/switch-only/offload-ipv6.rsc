# IPv6 into the chip too: off by default.
# Not yet confirmed on a real switch. Only a switch has /interface/ethernet/switch, so no CHR can check it.
/interface/ethernet/switch/l3hw-settings set ipv6-hw=yes
