"""JupyterLite: what is packed into it, and notebooks that run there."""
