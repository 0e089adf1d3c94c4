/routing/table/add name=to-isp2 fib

/ip/firewall/mangle
# Packets to the two WAN networks stay in main.
add chain=prerouting action=accept in-interface=bridge dst-address=198.51.100.0/30
add chain=prerouting action=accept in-interface=bridge dst-address=203.0.113.0/30
# Replies leave through the line on which the connection came in.
add chain=prerouting action=mark-connection in-interface=ether2 connection-state=new connection-mark=no-mark new-connection-mark=isp2
# Remainder 1 belongs to ISP 2; remainder 0 stays unmarked, in main.
add chain=prerouting action=mark-connection in-interface=bridge dst-address-type=!local connection-state=new connection-mark=no-mark per-connection-classifier=both-addresses:2/1 new-connection-mark=isp2
add chain=prerouting action=mark-routing in-interface=bridge connection-mark=isp2 new-routing-mark=to-isp2 passthrough=no
add chain=output action=mark-routing connection-mark=isp2 new-routing-mark=to-isp2 passthrough=no

/ip/route
# A host beyond each line shows whether the line works.
add dst-address=9.9.9.9/32 gateway=198.51.100.1 scope=10
add dst-address=149.112.112.112/32 gateway=203.0.113.1 scope=10
# Each table has both lines; the smaller distance is tried first.
add dst-address=0.0.0.0/0 gateway=9.9.9.9 target-scope=11 check-gateway=ping distance=1
add dst-address=0.0.0.0/0 gateway=149.112.112.112 target-scope=11 check-gateway=ping distance=2
add dst-address=0.0.0.0/0 gateway=149.112.112.112@main target-scope=11 check-gateway=ping distance=1 routing-table=to-isp2
add dst-address=0.0.0.0/0 gateway=9.9.9.9@main target-scope=11 check-gateway=ping distance=2 routing-table=to-isp2

/ip/firewall/filter/set [find where action=fasttrack-connection] connection-mark=no-mark
