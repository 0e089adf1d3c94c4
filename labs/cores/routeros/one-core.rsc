# All ports' interrupts go to one core, without RPS.
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
/system/resource/irq
set [find where users~"^p1"] cpu=0
set [find where users~"^p2"] cpu=0
set [find where users~"^p3"] cpu=0

/system/resource/irq/rps
disable [find where name=p1]
disable [find where name=p2]
disable [find where name=p3]
