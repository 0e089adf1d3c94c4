# Port p2 has one software queue, which all cores share.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/queue/interface set [find where interface=p2] queue=ethernet-default
