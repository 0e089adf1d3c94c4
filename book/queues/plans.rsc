/queue/type
add name=down-50 kind=pcq pcq-classifier=dst-address pcq-rate=50M pcq-total-limit=10000KiB
add name=up-10 kind=pcq pcq-classifier=src-address pcq-rate=10M pcq-total-limit=10000KiB
add name=down-100 kind=pcq pcq-classifier=dst-address pcq-rate=100M pcq-total-limit=5000KiB
add name=up-20 kind=pcq pcq-classifier=src-address pcq-rate=20M pcq-total-limit=5000KiB
/queue/simple
add name=plan-50 target=10.77.0.0/24 queue=up-10/down-50
add name=plan-100 target=10.77.1.0/24 queue=up-20/down-100
