# 2026-11-20 10:00:00 by RouterOS 7.20-acme
# model = acmeboard-9000
# serial number = HF409X0YZ
/interface bridge
add name=lan-of-acme comment="the-boss-at-home" vlan-filtering=yes
add name=lan-of-acme-2 dhcp-snooping=yes
/interface ethernet
set [ find default-name=ether1 ] name=uplink-to-acme
/interface eoip
add name=tunnel-to-acme remote-address=203.0.113.77 tunnel-id=1 ipsec-secret=sesame-4711
/interface wireguard
add name="wg (tunnel-to-acme)" private-key="sesame-4711"
/interface veth
add name=tunnel-to-acme-veth
/interface list
add name=vip-customers
/interface bridge port
add bridge=lan-of-acme interface=ether2
add bridge=lan-of-acme interface=tunnel-to-acme
add bridge=lan-of-acme-2 interface=ether3
add bridge=lan-of-acme-2 interface=ether4
/interface list member
add interface=uplink-to-acme list=vip-customers
/ip address
add address=198.51.100.1/24 interface=lan-of-acme
add address=203.0.113.77/24 interface=uplink-to-acme
/ip route
add gateway=203.0.113.1
/ip firewall filter
add action=accept chain=forward comment="the-boss-at-home" connection-state=established
add action=fasttrack-connection chain=forward connection-state=established,related
/ip firewall nat
add action=masquerade chain=srcnat out-interface-list=vip-customers
add action=dst-nat chain=dstnat dst-address=203.0.113.77 to-addresses=198.51.100.9
/queue simple
add name=vip-customers target=198.51.100.0/24 max-limit=10M/10M
/system identity
set name=acme-headquarters
