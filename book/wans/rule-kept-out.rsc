/ip/firewall/filter/add chain=forward action=accept connection-state=established,related src-address=192.168.88.128/25 place-before=[find where action=fasttrack-connection]
/ip/firewall/filter/add chain=forward action=accept connection-state=established,related dst-address=192.168.88.128/25 place-before=[find where action=fasttrack-connection]
