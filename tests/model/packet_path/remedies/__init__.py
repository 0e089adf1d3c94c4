"""What helps, typed behind the export, and lines taken as gone."""
