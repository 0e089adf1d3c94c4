"""The vm backend: the namespaces backend inside of a QEMU guest with a stock kernel."""
