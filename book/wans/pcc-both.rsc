/routing/table/add name=to-isp1 fib
/ip/firewall/mangle
add chain=prerouting action=mark-connection in-interface=ether1 connection-state=new connection-mark=no-mark new-connection-mark=isp1
add chain=prerouting action=mark-connection in-interface=bridge dst-address-type=!local connection-state=new connection-mark=no-mark per-connection-classifier=both-addresses:2/0 new-connection-mark=isp1
add chain=prerouting action=mark-routing in-interface=bridge connection-mark=isp1 new-routing-mark=to-isp1 passthrough=no
add chain=output action=mark-routing connection-mark=isp1 new-routing-mark=to-isp1 passthrough=no
/ip/route
add dst-address=0.0.0.0/0 gateway=9.9.9.9@main target-scope=11 check-gateway=ping distance=1 routing-table=to-isp1
add dst-address=0.0.0.0/0 gateway=149.112.112.112@main target-scope=11 check-gateway=ping distance=2 routing-table=to-isp1
