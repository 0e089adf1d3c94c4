# Who has the CPU while it routes what the chip did not: what to ask a switch under load.
# Not yet confirmed on a real switch. Only a switch has /interface/ethernet/switch, so no CHR can check it.

# which work: networking, routing, management
/tool profile
# each of its cores
/system/resource/cpu print
# how many routes were left to the CPU
/interface/ethernet/switch/l3hw-settings monitor
# the switch rules; print stats, in the same menu, says how many packets each of them met
/interface/ethernet/switch/rule print
