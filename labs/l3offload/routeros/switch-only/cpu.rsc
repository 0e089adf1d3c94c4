# The CPU routes: no hardware offload, no firewall, no connection tracking, as in the article.
# Not yet confirmed on a real switch. Only a switch has /interface/ethernet/switch, so no CHR can check it.
/interface/ethernet/switch set 0 l3-hw-offloading=no
/ip/settings set allow-fast-path=yes
/ip/firewall/connection/tracking set enabled=auto
