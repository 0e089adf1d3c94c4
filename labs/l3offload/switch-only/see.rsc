# What the chip holds, and what it leaves to the CPU.
# Not yet confirmed on a real switch. Only a switch has /interface/ethernet/switch, so no CHR can check it.

# l3-hw-offloading
/interface/ethernet/switch print
# state, ipv4-routes-total, -hw, -cpu, ipv4-shortest-hw-prefix
/interface/ethernet/switch/l3hw-settings monitor
# route-queue-size, nexthop-usage, lpm-usage
/interface/ethernet/switch/l3hw-settings/advanced monitor
# the CPU, which should be idle
/tool profile
