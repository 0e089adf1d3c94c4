"""Reports: all that a record says, in one file that asks nobody else."""
