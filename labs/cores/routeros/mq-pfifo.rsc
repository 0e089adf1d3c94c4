# Port p2 has a software queue for each of its hardware queues.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/interface set [find where interface=p2] queue=multi-queue-ethernet-default
