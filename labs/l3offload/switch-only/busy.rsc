# What keeps the CPU busy while the chip routes; print it under load.
# Not yet confirmed on a real switch. Only a switch has /interface/ethernet/switch, so no CHR can check it.

# which work: networking, routing, management
/tool profile
# each of its cores
/system/resource/cpu print
# how many routes were left to the CPU
/interface/ethernet/switch/l3hw-settings monitor
# the switch rules; print stats, in the same menu, counts the packets that each of them matched
/interface/ethernet/switch/rule print
