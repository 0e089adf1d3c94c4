/routing/table/print
/ip/route/print detail where dst-address=0.0.0.0/0
/ip/firewall/mangle/print stats
/ip/firewall/connection/print where connection-mark=isp2
/ip/firewall/connection/print count-only where fasttrack
