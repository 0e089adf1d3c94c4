# The bridge filters VLANs. A chip that does not support VLAN filtering then leaves every frame to the CPU.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Read back: the flag H in /interface/bridge/port/print disappears on such a chip and stays on the others.
/interface/bridge set bridge1 vlan-filtering=yes
