"""The files of topologies/."""
