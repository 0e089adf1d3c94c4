# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB4011iGS+
/interface vrrp
add interface=ether2 name=vrrp1 priority=200 vrid=1
/routing ospf instance
add name=o router-id=10.0.0.1
/routing ospf area
add instance=o name=backbone
/routing ospf interface-template
add area=backbone interfaces=ether1
/ip address
add address=10.0.0.1/30 interface=ether1
add address=10.1.0.2/24 interface=ether2
add address=10.1.0.1/32 interface=vrrp1
