"""scripts/, each script as make or a workflow calls it."""
