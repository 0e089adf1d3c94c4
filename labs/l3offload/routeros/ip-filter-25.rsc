# Twenty-five simple rules, none of which the stream matches. Linux: ../linux/ip-filter-25.nft, rule by rule.
# Not yet confirmed on a real switch; checked offline against RouterOS 7.21's own command tree.
/ip/firewall/connection/tracking set enabled=auto
/ip/firewall/filter
add chain=forward connection-state=invalid action=drop
add chain=forward src-address=198.19.253.1 action=drop
add chain=forward src-address=198.19.253.2 action=drop
add chain=forward src-address=198.19.253.3 action=drop
add chain=forward src-address=198.19.253.4 action=drop
add chain=forward src-address=198.19.253.5 action=drop
add chain=forward src-address=198.19.253.6 action=drop
add chain=forward src-address=198.19.253.7 action=drop
add chain=forward src-address=198.19.253.8 action=drop
add chain=forward src-address=198.19.253.9 action=drop
add chain=forward src-address=198.19.253.10 action=drop
add chain=forward src-address=198.19.253.11 action=drop
add chain=forward src-address=198.19.253.12 action=drop
add chain=forward src-address=198.19.253.13 action=drop
add chain=forward src-address=198.19.253.14 action=drop
add chain=forward src-address=198.19.253.15 action=drop
add chain=forward src-address=198.19.253.16 action=drop
add chain=forward src-address=198.19.253.17 action=drop
add chain=forward src-address=198.19.253.18 action=drop
add chain=forward src-address=198.19.253.19 action=drop
add chain=forward src-address=198.19.253.20 action=drop
add chain=forward src-address=198.19.253.21 action=drop
add chain=forward src-address=198.19.253.22 action=drop
add chain=forward src-address=198.19.253.23 action=drop
add chain=forward src-address=198.19.253.24 action=drop
