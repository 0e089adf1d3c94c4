"""The built site, looked at in browsers."""
