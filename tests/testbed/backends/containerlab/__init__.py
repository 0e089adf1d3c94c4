"""The backend containerlab: against doubles of its programs, and against a Docker of its own."""
