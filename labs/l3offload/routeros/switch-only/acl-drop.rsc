# A switch rule that drops, in the chip. Linux: ../../linux/acl-drop.tc
# Not yet confirmed on a real switch. Only a switch has /interface/ethernet/switch, so no CHR can check it.
/interface/ethernet/switch/rule add switch=switch1 ports=p1 dst-address=198.19.0.2/32 protocol=udp dst-port=200 new-dst-ports=""
