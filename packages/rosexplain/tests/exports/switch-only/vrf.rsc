# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CCR2116-12G-4S+
/ip vrf
add interfaces=sfp-sfpplus2,sfp-sfpplus3 name=customer
/ip address
add address=10.1.0.1/24 interface=sfp-sfpplus1
add address=10.2.0.1/24 interface=sfp-sfpplus2
add address=10.3.0.1/24 interface=sfp-sfpplus3
/interface ethernet switch
set 0 l3-hw-offloading=yes
