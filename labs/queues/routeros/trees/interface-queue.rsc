# Port p2 has a queue of its own in software. Linux: ../../linux/trees/interface-queue.tc
# A packet that came by the fast path leaves it here, at its last step.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/interface set [find where interface=p2] queue=ethernet-default
