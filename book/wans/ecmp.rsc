/ip/firewall/mangle/remove [find where action=mark-routing]
/ip/firewall/mangle/remove [find where action=mark-connection]
/ip/route/set [find where routing-table=to-isp2] routing-table=main check-gateway=ping
