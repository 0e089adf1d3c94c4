# RFC 2544, section 11.4.1, "the 25 filter case". Linux: ../../linux/rules/ip-filter-25.nft, where the choices are explained.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/ip/firewall/filter
add chain=forward src-address=198.19.1.1 dst-address=198.19.100.1 action=drop
add chain=forward src-address=198.19.2.2 dst-address=198.19.101.2 action=drop
add chain=forward src-address=198.19.3.3 dst-address=198.19.103.3 action=drop
add chain=forward src-address=198.19.4.4 dst-address=198.19.104.4 action=drop
add chain=forward src-address=198.19.5.5 dst-address=198.19.105.5 action=drop
add chain=forward src-address=198.19.6.6 dst-address=198.19.106.6 action=drop
add chain=forward src-address=198.19.7.7 dst-address=198.19.107.7 action=drop
add chain=forward src-address=198.19.8.8 dst-address=198.19.108.8 action=drop
add chain=forward src-address=198.19.9.9 dst-address=198.19.109.9 action=drop
add chain=forward src-address=198.19.10.10 dst-address=198.19.110.10 action=drop
add chain=forward src-address=198.19.11.11 dst-address=198.19.111.11 action=drop
add chain=forward src-address=198.19.12.12 dst-address=198.19.112.12 action=drop
add chain=forward src-address=198.18.0.0/16 dst-address=198.18.0.0/16 action=accept
add chain=forward src-address=198.19.13.13 dst-address=198.19.113.13 action=drop
add chain=forward src-address=198.19.14.14 dst-address=198.19.114.14 action=drop
add chain=forward src-address=198.19.15.15 dst-address=198.19.115.15 action=drop
add chain=forward src-address=198.19.16.16 dst-address=198.19.116.16 action=drop
add chain=forward src-address=198.19.17.17 dst-address=198.19.117.17 action=drop
add chain=forward src-address=198.19.18.18 dst-address=198.19.118.18 action=drop
add chain=forward src-address=198.19.19.19 dst-address=198.19.119.19 action=drop
add chain=forward src-address=198.19.20.20 dst-address=198.19.120.20 action=drop
add chain=forward src-address=198.19.21.21 dst-address=198.19.121.21 action=drop
add chain=forward src-address=198.19.22.22 dst-address=198.19.122.22 action=drop
add chain=forward src-address=198.19.23.23 dst-address=198.19.123.23 action=drop
add chain=forward src-address=198.19.24.24 dst-address=198.19.124.24 action=drop
add chain=forward action=drop
