# All interrupts of port p4's card to one core, and no packet handed on in software.
# How many queues the card has is up to the hypervisor; with one, RouterOS cannot do otherwise.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/system/resource/irq set [find where users~"^p4"] cpu=0
/system/resource/irq/rps disable [find where name=p4]
