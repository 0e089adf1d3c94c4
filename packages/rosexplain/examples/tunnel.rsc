# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB4011iGS+
/interface bridge
add name=bridge
/interface eoip
add allow-fast-path=no ipsec-secret="a secret of this example" \
    name=eoip1 remote-address=192.0.2.2 tunnel-id=1
/interface bridge port
add bridge=bridge interface=ether2
add bridge=bridge interface=eoip1
/ip address
add address=192.168.1.1/24 interface=bridge
add address=192.0.2.1/24 interface=ether1
/ip ipsec policy
add dst-address=10.2.0.0/16 peer=office src-address=10.1.0.0/16 tunnel=yes
/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=\
    established,related
add action=accept chain=forward connection-state=established,related
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
