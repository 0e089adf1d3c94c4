"""What this machine can do, found by trying, and which backend is chosen from that."""
