# 5 simple queues without a limit; the last queue is for the streams' host. Linux: ../../linux/numbers/simple-5.tc and simple-5.nft
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/simple
add name=q1 target=198.19.0.2/32 max-limit=10G/10G
add name=q2 target=198.19.0.3/32 max-limit=10G/10G
add name=q3 target=198.19.0.4/32 max-limit=10G/10G
add name=q4 target=198.19.0.5/32 max-limit=10G/10G
add name=q5 target=198.18.1.2/32 max-limit=10G/10G
