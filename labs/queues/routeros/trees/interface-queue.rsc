# Port p2 has its own software queue. Linux: ../../linux/trees/interface-queue.tc
# A packet leaves the fast path here, at its last step.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/interface set [find where interface=p2] queue=ethernet-default
