# 25 rules, of which the last accepts the streams. Linux: ../../linux/rules/rule-last.nft
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/ip/firewall/filter
add chain=forward src-address=198.19.1.1 dst-address=198.19.101.101 action=drop
add chain=forward src-address=198.19.2.2 dst-address=198.19.102.102 action=drop
add chain=forward src-address=198.19.3.3 dst-address=198.19.103.103 action=drop
add chain=forward src-address=198.19.4.4 dst-address=198.19.104.104 action=drop
add chain=forward src-address=198.19.5.5 dst-address=198.19.105.105 action=drop
add chain=forward src-address=198.19.6.6 dst-address=198.19.106.106 action=drop
add chain=forward src-address=198.19.7.7 dst-address=198.19.107.107 action=drop
add chain=forward src-address=198.19.8.8 dst-address=198.19.108.108 action=drop
add chain=forward src-address=198.19.9.9 dst-address=198.19.109.109 action=drop
add chain=forward src-address=198.19.10.10 dst-address=198.19.110.110 action=drop
add chain=forward src-address=198.19.11.11 dst-address=198.19.111.111 action=drop
add chain=forward src-address=198.19.12.12 dst-address=198.19.112.112 action=drop
add chain=forward src-address=198.19.13.13 dst-address=198.19.113.113 action=drop
add chain=forward src-address=198.19.14.14 dst-address=198.19.114.114 action=drop
add chain=forward src-address=198.19.15.15 dst-address=198.19.115.115 action=drop
add chain=forward src-address=198.19.16.16 dst-address=198.19.116.116 action=drop
add chain=forward src-address=198.19.17.17 dst-address=198.19.117.117 action=drop
add chain=forward src-address=198.19.18.18 dst-address=198.19.118.118 action=drop
add chain=forward src-address=198.19.19.19 dst-address=198.19.119.119 action=drop
add chain=forward src-address=198.19.20.20 dst-address=198.19.120.120 action=drop
add chain=forward src-address=198.19.21.21 dst-address=198.19.121.121 action=drop
add chain=forward src-address=198.19.22.22 dst-address=198.19.122.122 action=drop
add chain=forward src-address=198.19.23.23 dst-address=198.19.123.123 action=drop
add chain=forward src-address=198.19.24.24 dst-address=198.19.124.124 action=drop
add chain=forward src-address=198.18.1.2 dst-address=198.18.2.2 action=accept
