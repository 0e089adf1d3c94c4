"""The lab fastpath, and the BPF programs that are its fast path."""
