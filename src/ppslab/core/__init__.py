"""The ground floor: errors, documents, units, tables.  It knows nothing of networks."""
