/ip/firewall/mangle/remove [find where action=mark-routing]
/ip/firewall/mangle/remove [find where action=mark-connection]
/routing/rule/add src-address=192.168.88.128/25 action=lookup table=to-isp2
