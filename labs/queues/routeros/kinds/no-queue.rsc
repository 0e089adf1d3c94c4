# Port p2 has its default queue, only the card's ring.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/interface set [find where interface=p2] queue=only-hardware-queue
