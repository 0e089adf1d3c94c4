# Switch rules (ACL): a stateless firewall in the chip.
# From MikroTik's manual; not yet confirmed on a real switch.

# Drop packets from ether1 to a database, and hand packets from ether2 to it to the CPU's firewall.
/interface/ethernet/switch/rule
add switch=switch1 ports=ether1 dst-address=198.19.1.2/32 protocol=tcp dst-port=3306 new-dst-ports=""
add switch=switch1 ports=ether2 dst-address=198.19.1.2/32 protocol=tcp dst-port=3306 redirect-to-cpu=yes
# print stats, in the same menu, counts the packets that each rule matched.
