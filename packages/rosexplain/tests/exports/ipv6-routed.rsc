# 2026-11-20 10:00:00 by RouterOS 7.20
# model = RB5009UG+S+
/ipv6 address
add address=2001:db8:1::1/64 interface=ether2
add address=2001:db8::2/64 interface=ether1
/ipv6 route
add dst-address=::/0 gateway=2001:db8::1
/ipv6 firewall filter
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related,untracked
add action=drop chain=forward in-interface=ether1
