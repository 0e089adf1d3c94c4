/system/resource/print
/ip/firewall/connection/print count-only
/ip/firewall/address-list/print count-only where dynamic
/ip/dns/cache/print count-only
/ip/dns/print
