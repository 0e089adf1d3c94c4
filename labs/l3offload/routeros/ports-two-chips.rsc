# The two test ports on an RB3011: ether1 is on its first switch chip, ether6 on its second.
# Not yet confirmed on a real switch; checked offline against RouterOS 7.21's own command tree.
/interface/ethernet
set [find where default-name=ether1] name=p1
set [find where default-name=ether6] name=p2
