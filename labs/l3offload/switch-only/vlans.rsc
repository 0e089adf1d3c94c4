# Two VLANs that the chip routes between. From MikroTik's manual; not yet confirmed on a real switch.
# The manual says to switch offload off while layer 2 changes.

/interface/ethernet/switch set 0 l3-hw-offloading=no
/interface/bridge add name=bridge
/interface/bridge/port
add bridge=bridge interface=ether2 pvid=20
add bridge=bridge interface=ether3 pvid=30
# The bridge is a tagged member of each VLAN that is routed.
/interface/bridge/vlan
add bridge=bridge tagged=bridge untagged=ether2 vlan-ids=20
add bridge=bridge tagged=bridge untagged=ether3 vlan-ids=30
# The VLAN interfaces are on the bridge, not on a port.
/interface/vlan
add interface=bridge name=vlan20 vlan-id=20
add interface=bridge name=vlan30 vlan-id=30
/ip/address
add address=198.18.20.1/24 interface=vlan20
add address=198.18.30.1/24 interface=vlan30
/interface/bridge set bridge vlan-filtering=yes
/interface/ethernet/switch set 0 l3-hw-offloading=yes
