# What may not be forwarded (TTL, MTU) is dropped in silence; by default it goes to the CPU, which answers with ICMP.
# Not yet confirmed on a real switch. Only a switch has /interface/ethernet/switch, so no CHR can check it.
/interface/ethernet/switch/l3hw-settings set icmp-reply-on-error=no
