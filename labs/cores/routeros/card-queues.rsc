# Every interrupt of port p4's card to a core of RouterOS's own choice, and no packet handed on in software.
# How many queues the card has is up to the hypervisor: `ppslab plan queues` has the lines.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/system/resource/irq set [find where users~"^p4"] cpu=auto
/system/resource/irq/rps disable [find where name=p4]
