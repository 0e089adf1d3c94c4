/ip/firewall/filter/set [find where action=fasttrack-connection] connection-mark=no-mark
