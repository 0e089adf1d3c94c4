# Connection tracking on, and no rule: each packet is looked up among the connections, and a new one is noted.
# Not yet confirmed on a real switch; checked offline against RouterOS 7.21's own command tree.
/ip/firewall/connection/tracking set enabled=yes
