/queue/type
add name=down-20 kind=pcq pcq-classifier=dst-address pcq-rate=20M pcq-total-limit=10000KiB
add name=up-5 kind=pcq pcq-classifier=src-address pcq-rate=5M pcq-total-limit=10000KiB
add name=down-200 kind=pcq pcq-classifier=dst-address pcq-rate=200M pcq-total-limit=5000KiB
add name=up-40 kind=pcq pcq-classifier=src-address pcq-rate=40M pcq-total-limit=5000KiB
/queue/simple
add name=plan-20 target=100.64.20.0/24 queue=up-5/down-20
add name=plan-200 target=100.64.21.0/24 queue=up-40/down-200
