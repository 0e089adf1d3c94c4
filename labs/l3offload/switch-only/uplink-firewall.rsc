# A firewall for one uplink, sfp-sfpplus1, while all other ports route in the chip.
# From MikroTik's manual; not yet confirmed on a real switch.

# Hand packets that come in through the uplink to the CPU.
/interface/ethernet/switch/rule add switch=switch1 ports=sfp-sfpplus1 redirect-to-cpu=yes
# Hand packets that leave through the uplink to the CPU.
/interface/ethernet/switch/port set [find where name=sfp-sfpplus1] l3-hw-offloading=no
