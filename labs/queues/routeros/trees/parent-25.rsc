# 25 simple queues with one parent, which gets the packets of all of them. Linux: ../../linux/trees/parent-25.tc and simple-25.nft
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/simple
add name=all target=198.18.0.0/15 max-limit=10G/10G
add name=q1 parent=all target=198.19.0.2/32 max-limit=10G/10G
add name=q2 parent=all target=198.19.0.3/32 max-limit=10G/10G
add name=q3 parent=all target=198.19.0.4/32 max-limit=10G/10G
add name=q4 parent=all target=198.19.0.5/32 max-limit=10G/10G
add name=q5 parent=all target=198.19.0.6/32 max-limit=10G/10G
add name=q6 parent=all target=198.19.0.7/32 max-limit=10G/10G
add name=q7 parent=all target=198.19.0.8/32 max-limit=10G/10G
add name=q8 parent=all target=198.19.0.9/32 max-limit=10G/10G
add name=q9 parent=all target=198.19.0.10/32 max-limit=10G/10G
add name=q10 parent=all target=198.19.0.11/32 max-limit=10G/10G
add name=q11 parent=all target=198.19.0.12/32 max-limit=10G/10G
add name=q12 parent=all target=198.19.0.13/32 max-limit=10G/10G
add name=q13 parent=all target=198.19.0.14/32 max-limit=10G/10G
add name=q14 parent=all target=198.19.0.15/32 max-limit=10G/10G
add name=q15 parent=all target=198.19.0.16/32 max-limit=10G/10G
add name=q16 parent=all target=198.19.0.17/32 max-limit=10G/10G
add name=q17 parent=all target=198.19.0.18/32 max-limit=10G/10G
add name=q18 parent=all target=198.19.0.19/32 max-limit=10G/10G
add name=q19 parent=all target=198.19.0.20/32 max-limit=10G/10G
add name=q20 parent=all target=198.19.0.21/32 max-limit=10G/10G
add name=q21 parent=all target=198.19.0.22/32 max-limit=10G/10G
add name=q22 parent=all target=198.19.0.23/32 max-limit=10G/10G
add name=q23 parent=all target=198.19.0.24/32 max-limit=10G/10G
add name=q24 parent=all target=198.19.0.25/32 max-limit=10G/10G
add name=q25 parent=all target=198.18.1.2/32 max-limit=10G/10G
