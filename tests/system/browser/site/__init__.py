"""The pages as a reader meets them: whole, quick to read, within their policy."""
