# 1 simple queue without a limit; the last queue is for the streams' host. Linux: ../../linux/numbers/simple-1.tc and simple-1.nft
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/simple
add name=q1 target=198.18.1.2/32 max-limit=10G/10G
