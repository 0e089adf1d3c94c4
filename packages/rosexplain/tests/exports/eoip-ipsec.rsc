# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CCR1036-8G-2S+
/interface bridge
add name=lan
/interface eoip
add allow-fast-path=no ipsec-secret=donotshow local-address=198.51.100.2 mtu=1500 name=eoip1 remote-address=203.0.113.9 tunnel-id=1
/interface bridge port
add bridge=lan interface=ether2
add bridge=lan interface=eoip1
/ip address
add address=198.51.100.2/30 interface=ether1
add address=10.0.0.1/24 interface=lan
/ip route
add gateway=198.51.100.1
