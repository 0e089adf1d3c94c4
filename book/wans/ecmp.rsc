/ip/firewall/mangle/remove [find where new-routing-mark=to-isp2]
/ip/firewall/mangle/remove [find where new-connection-mark=isp2]
/ip/route/set [find where routing-table=to-isp2] routing-table=main check-gateway=ping
