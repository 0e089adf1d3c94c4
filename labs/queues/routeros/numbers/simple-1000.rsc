# 1000 simple queues without a limit; the last queue is for the streams' host. Linux: ../../linux/numbers/simple-1000.tc and simple-1000.nft
# Not yet confirmed on a real router or CHR; checked offline against RouterOS 7.21's own command tree.
:for i from=1 to=999 do={ /queue/simple add name=("q" . $i) target=((198.19.0.0 + $i) . "/32") max-limit=10G/10G }
/queue/simple add name=q1000 target=198.18.1.2/32 max-limit=10G/10G
