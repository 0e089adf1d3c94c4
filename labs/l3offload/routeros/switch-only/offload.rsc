# The chip routes: on for the chip, and for each port.
# Not yet confirmed on a real switch. Only a switch has /interface/ethernet/switch, so no CHR can check it.
# Read back: /interface/ethernet/switch/l3hw-settings/monitor shows state=ok, ipv4-routes-hw and ipv4-routes-cpu.
# The flag H of /ip/route/print says only that a route may go into the chip.
/interface/ethernet/switch set 0 l3-hw-offloading=yes
/interface/ethernet/switch/port set [find] l3-hw-offloading=yes
