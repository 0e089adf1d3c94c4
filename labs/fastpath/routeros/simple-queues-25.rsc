# Twenty-five simple queues that limit nothing; the streams match the last. Linux: ../linux/simple-queues-25.tc
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
# A packet goes through the list until a queue fits it (RouterOS manual, Queues). How MikroTik's own tests set
# their 25 queues is not published: this is the worst case for a search in order.
# max-limit is upload/download as the target sees it; 10G is above what any of the articles' routers forwards on a port.
/queue/simple
add name=q1 target=198.19.1.1/32 max-limit=10G/10G
add name=q2 target=198.19.2.2/32 max-limit=10G/10G
add name=q3 target=198.19.3.3/32 max-limit=10G/10G
add name=q4 target=198.19.4.4/32 max-limit=10G/10G
add name=q5 target=198.19.5.5/32 max-limit=10G/10G
add name=q6 target=198.19.6.6/32 max-limit=10G/10G
add name=q7 target=198.19.7.7/32 max-limit=10G/10G
add name=q8 target=198.19.8.8/32 max-limit=10G/10G
add name=q9 target=198.19.9.9/32 max-limit=10G/10G
add name=q10 target=198.19.10.10/32 max-limit=10G/10G
add name=q11 target=198.19.11.11/32 max-limit=10G/10G
add name=q12 target=198.19.12.12/32 max-limit=10G/10G
add name=q13 target=198.19.13.13/32 max-limit=10G/10G
add name=q14 target=198.19.14.14/32 max-limit=10G/10G
add name=q15 target=198.19.15.15/32 max-limit=10G/10G
add name=q16 target=198.19.16.16/32 max-limit=10G/10G
add name=q17 target=198.19.17.17/32 max-limit=10G/10G
add name=q18 target=198.19.18.18/32 max-limit=10G/10G
add name=q19 target=198.19.19.19/32 max-limit=10G/10G
add name=q20 target=198.19.20.20/32 max-limit=10G/10G
add name=q21 target=198.19.21.21/32 max-limit=10G/10G
add name=q22 target=198.19.22.22/32 max-limit=10G/10G
add name=q23 target=198.19.23.23/32 max-limit=10G/10G
add name=q24 target=198.19.24.24/32 max-limit=10G/10G
add name=q25 target=198.18.0.0/16 max-limit=10G/10G
