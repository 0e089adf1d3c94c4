/ip/firewall/mangle/remove [find where new-routing-mark=to-isp2]
/ip/firewall/mangle/remove [find where new-connection-mark=isp2]
/routing/rule/add src-address=192.168.88.128/25 action=lookup table=to-isp2
