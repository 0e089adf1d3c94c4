# The start configuration of chr in topologies/hundred-chr.clab.yml.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Made by scripts/routeros/start_configs.py from labs/hundred/routeros; change it there.

# ports.rsc
/interface/ethernet
set [find default-name=ether2] mtu=1520
set [find default-name=ether3] mtu=1520
set [find default-name=ether4] mtu=1520
set [find default-name=ether5] mtu=1520
set [find default-name=ether6] mtu=1520
set [find default-name=ether7] mtu=1520
set [find default-name=ether8] mtu=1520
set [find default-name=ether9] mtu=1520

# bond-balance-rr.rsc
/interface/bonding
add name=Po0 mode=balance-rr slaves=ether2,ether3,ether4,ether5,ether6,ether7,ether8,ether9 mtu=1520

# vlans.rsc
/interface/vlan
add interface=Po0 name=VLAN3000-SERVER-01-IPERF-01-SERVER-03 vlan-id=3000
add interface=Po0 name=VLAN3001-SERVER-03-SERVER-01 vlan-id=3001
add interface=Po0 name=VLAN3002-SERVER-01-IPERF-02-SERVER-04 vlan-id=3002
add interface=Po0 name=VLAN3003-SERVER-04-SERVER-01 vlan-id=3003
add interface=Po0 name=VLAN3004-SERVER-06-SERVER-07 vlan-id=3004
add interface=Po0 name=VLAN3005-SERVER-07-SERVER-06 vlan-id=3005
add interface=Po0 name=VLAN3006-SERVER-05-SERVER-08 vlan-id=3006
add interface=Po0 name=VLAN3007-SERVER-08-SERVER-05 vlan-id=3007
add interface=Po0 name=VLAN3009-SERVER-09-SERVER-10 vlan-id=3009
add interface=Po0 name=VLAN3010-SERVER10-SERVER-09 vlan-id=3010
add interface=Po0 name=VLAN3011-SERVER-11-SERVER-12 vlan-id=3011
add interface=Po0 name=VLAN3012-SERVER12-SERVER-11 vlan-id=3012
/ip/address
add address=198.18.1.1/24 interface=VLAN3000-SERVER-01-IPERF-01-SERVER-03
add address=198.18.2.1/24 interface=VLAN3001-SERVER-03-SERVER-01
add address=198.18.3.1/24 interface=VLAN3002-SERVER-01-IPERF-02-SERVER-04
add address=198.18.4.1/24 interface=VLAN3003-SERVER-04-SERVER-01
add address=198.18.5.1/24 interface=VLAN3004-SERVER-06-SERVER-07
add address=198.18.6.1/24 interface=VLAN3005-SERVER-07-SERVER-06
add address=198.18.7.1/24 interface=VLAN3006-SERVER-05-SERVER-08
add address=198.18.8.1/24 interface=VLAN3007-SERVER-08-SERVER-05
add address=198.18.9.1/24 interface=VLAN3009-SERVER-09-SERVER-10
add address=198.18.10.1/24 interface=VLAN3010-SERVER10-SERVER-09
add address=198.18.11.1/24 interface=VLAN3011-SERVER-11-SERVER-12
add address=198.18.12.1/24 interface=VLAN3012-SERVER12-SERVER-11

# Everything above was read: whoever waits for this router waits for this name.
/system/identity set name=ppslab-hundred-chr-chr
