# Commands that show where packets wait and which queue limits.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS's own command trees, 7.18 to 7.24.

# which simple queue counts, holds packets (queued-packets) and drops
/queue/simple print stats
# the same for the tree; a queue that counts nothing limits nobody
/queue/tree print stats
# queue and active-queue of each port
/queue/interface print
# tx-drop: packets that were dropped because the port's queue was full
/interface/ethernet print stats
# ipv4-fasttrack-active: if yes, fast-tracked packets bypass simple queues
/ip/settings print
