"""RouterOS exports: what `/export` prints, as commands, and the rows that they come to."""
