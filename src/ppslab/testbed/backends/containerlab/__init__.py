"""The containerlab backend: topologies as containers, deployed by containerlab's own command."""
