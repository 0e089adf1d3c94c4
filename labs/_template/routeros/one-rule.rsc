# One rule that every packet meets; RouterOS counts what each rule matches.
# Not yet confirmed on a real router or CHR.
/ip/firewall/filter
add chain=forward action=passthrough comment="count every packet"
