# VLANs in the table of a QCA8337: ether2 and ether3 are VLAN 10, ether4 and ether5 VLAN 20.
# From MikroTik's manual; not yet confirmed on a real router. The VLAN interfaces stay on the bridge.
# Do it in a quiet hour, and not from one of these four ports.

/interface/ethernet/switch/vlan
add switch=switch1 vlan-id=10 ports=ether2,ether3,switch1-cpu independent-learning=yes
add switch=switch1 vlan-id=20 ports=ether4,ether5,switch1-cpu independent-learning=yes
/interface/ethernet/switch/port
set [find where name~"^ether[23]\$"] default-vlan-id=10 vlan-mode=secure
set [find where name~"^ether[45]\$"] default-vlan-id=20 vlan-mode=secure
set [find where name=switch1-cpu] vlan-mode=secure
/interface/bridge/set [find where name=bridge] vlan-filtering=no
# Now /interface/bridge/port/print should show H again.
