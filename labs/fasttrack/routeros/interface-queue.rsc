# Each port gets a queue of its own in software. Linux: ../linux/interface-queue.tc
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# An interface with another queue than only-hardware-queue takes no packet from the fast path.
/queue/interface
set [find where interface=p1] queue=ethernet-default
set [find where interface=p2] queue=ethernet-default
