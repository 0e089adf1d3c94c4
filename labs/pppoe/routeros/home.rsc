# A home router: what leaves by a session gets the session's address. Linux: ../linux/home/masquerade.nft
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/ip/firewall/connection/tracking set enabled=yes
/interface/list add name=WAN
/interface/list/member add list=WAN interface=plain
/ip/firewall/nat add chain=srcnat out-interface-list=WAN action=masquerade
