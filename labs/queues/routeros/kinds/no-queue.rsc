# Port p2 has the queue that it has by default: none but the card's own ring.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/interface set [find where interface=p2] queue=only-hardware-queue
