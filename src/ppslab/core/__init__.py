"""What every room stands on: errors, documents, units, tables.  It knows nothing of networks."""
