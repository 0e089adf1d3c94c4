/interface/wireguard/peers/print detail
/tool/profile cpu=all
/interface/print stats-detail where type=wg
/interface/monitor-traffic wg1,ether1 once
/ping 10.1.101.1 size=1420 do-not-fragment count=3
