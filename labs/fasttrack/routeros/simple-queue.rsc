# A queue for one host, which limits nothing. Linux: ../linux/limit-host.nft and limit-host.tc
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# Simple queues hang in the global tree, which fast-tracked packets do not pass.
/queue/simple
add name=host target=198.18.1.2/32 max-limit=10G/10G
