"""Plans: of network cards and CPUs, of queues, of what a switch chip takes."""
