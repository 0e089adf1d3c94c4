"""What a node of a deployment is made of: namespaces, mounts, interfaces, veth pairs."""
