"""The parts of a node: namespaces, mounts, interfaces, veth pairs."""
