# Each card's interrupts to a CPU of the card's own socket.
# The interrupts of a card have its interface in `users`; `cpu` counts from 0 as the hypervisor gives the CPUs.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/system/resource/irq
set [find where users~"^p1"] cpu=0
set [find where users~"^p2"] cpu=1
