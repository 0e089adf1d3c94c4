# 25 simple queues without a limit; the last queue is for the streams' host. Linux: ../../linux/numbers/simple-25.tc and simple-25.nft
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/simple
add name=q1 target=198.19.0.2/32 max-limit=10G/10G
add name=q2 target=198.19.0.3/32 max-limit=10G/10G
add name=q3 target=198.19.0.4/32 max-limit=10G/10G
add name=q4 target=198.19.0.5/32 max-limit=10G/10G
add name=q5 target=198.19.0.6/32 max-limit=10G/10G
add name=q6 target=198.19.0.7/32 max-limit=10G/10G
add name=q7 target=198.19.0.8/32 max-limit=10G/10G
add name=q8 target=198.19.0.9/32 max-limit=10G/10G
add name=q9 target=198.19.0.10/32 max-limit=10G/10G
add name=q10 target=198.19.0.11/32 max-limit=10G/10G
add name=q11 target=198.19.0.12/32 max-limit=10G/10G
add name=q12 target=198.19.0.13/32 max-limit=10G/10G
add name=q13 target=198.19.0.14/32 max-limit=10G/10G
add name=q14 target=198.19.0.15/32 max-limit=10G/10G
add name=q15 target=198.19.0.16/32 max-limit=10G/10G
add name=q16 target=198.19.0.17/32 max-limit=10G/10G
add name=q17 target=198.19.0.18/32 max-limit=10G/10G
add name=q18 target=198.19.0.19/32 max-limit=10G/10G
add name=q19 target=198.19.0.20/32 max-limit=10G/10G
add name=q20 target=198.19.0.21/32 max-limit=10G/10G
add name=q21 target=198.19.0.22/32 max-limit=10G/10G
add name=q22 target=198.19.0.23/32 max-limit=10G/10G
add name=q23 target=198.19.0.24/32 max-limit=10G/10G
add name=q24 target=198.19.0.25/32 max-limit=10G/10G
add name=q25 target=198.18.1.2/32 max-limit=10G/10G
