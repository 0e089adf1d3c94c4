# Switch rules (ACL): a firewall without a memory, in the chip.
# From MikroTik's manual; not yet confirmed on a real switch.

# Drop what comes in by ether1 for a database, and hand what ether2 sends there to the CPU's firewall.
/interface/ethernet/switch/rule
add switch=switch1 ports=ether1 dst-address=198.19.1.2/32 protocol=tcp dst-port=3306 new-dst-ports=""
add switch=switch1 ports=ether2 dst-address=198.19.1.2/32 protocol=tcp dst-port=3306 redirect-to-cpu=yes
# print stats, in the same menu, says how many packets each rule met.
